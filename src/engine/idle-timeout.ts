/** setTimeout fires at once beyond this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Aborts after too long a silence, or with the caller. */
export class IdleTimeout {
  readonly signal: AbortSignal;
  /** Milliseconds; another value counts from the next sign of life on. */
  ms: number;
  readonly #own = new AbortController();
  #timer: NodeJS.Timeout;
  timedOut = false;

  constructor(ms: number, signal?: AbortSignal) {
    this.ms = ms;
    this.signal = signal ? AbortSignal.any([this.#own.signal, signal]) : this.#own.signal;
    this.#timer = this.#start();
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#own.abort();
  }

  #start(): NodeJS.Timeout {
    const silent = () => {
      this.timedOut = true;
      this.#own.abort();
    };
    return setTimeout(silent, Math.min(this.ms, MAX_TIMER_MS));
  }
}
