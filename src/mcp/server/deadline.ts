import { setMaxListeners } from 'node:events';

/** setTimeout fires at once beyond this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface DeadlineOptions {
  /** The caller's own signal, which aborts too. */
  readonly signal?: AbortSignal | undefined;
  /** However often the limit is extended, this many milliseconds after the begin it is over. Default: the limit. */
  readonly maxMs?: number;
}

/** One signal for a time limit and a caller's own signal; afterwards it can be told which of them it was. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #limitMs: number;
  readonly #maxMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #begun = performance.now();
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason);
  #timer: NodeJS.Timeout | undefined;
  #expired = false;
  #extended = false;
  #pausedAt: number | undefined;
  #pausedMs = 0;

  constructor(limitMs: number, options: DeadlineOptions = {}) {
    this.#limitMs = limitMs;
    this.#maxMs = Math.max(limitMs, options.maxMs ?? limitMs);
    this.#caller = options.signal;
    this.#arm(limitMs);
    // All calls of a reply share one signal; each listener is taken away again by dispose.
    if (this.#caller) setMaxListeners(0, this.#caller);
    if (this.#caller?.aborted) this.#onAbort();
    else this.#caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It was the time limit that aborted the signal, not the caller. */
  get expired(): boolean {
    return this.#expired;
  }

  /** The limit that was reached: the one given, or with extensions the whole time. */
  get reachedMs(): number {
    return this.#extended ? this.#elapsed() : this.#limitMs;
  }

  /** There is a sign of life: the limit begins anew, within the hard maximum. */
  extend(): void {
    if (this.#timer === undefined) return;
    const left = Math.min(this.#limitMs, this.#maxMs - this.#elapsed());
    this.#extended ||= this.#maxMs > this.#limitMs;
    if (this.#extended) this.#arm(Math.max(0, left));
  }

  /** Someone is asked something; the time that a person takes does not count. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pausedAt = performance.now();
  }

  /** The limit begins anew after a pause. */
  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#pausedMs += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#arm(Math.max(0, Math.min(this.#limitMs, this.#maxMs - this.#elapsed())));
  }

  /** The promise, or a rejection as soon as the signal is aborted. */
  async race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    let onAbort: () => void = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([promise, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Has to be called once the work is over, or the timer goes on. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pausedAt = undefined;
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  #elapsed(): number {
    return performance.now() - this.#begun - this.#pausedMs;
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#expired = !this.#controller.signal.aborted;
        this.#controller.abort(new Error(`no answer within ${Math.round(this.reachedMs)} ms`));
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  }
}
