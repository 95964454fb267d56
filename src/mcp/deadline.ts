/** setTimeout fires at once beyond this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One signal for a time limit and a caller's own signal; afterwards it can be told which of them it was. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason);
  #expired = false;

  constructor(limitMs: number, caller?: AbortSignal) {
    this.#caller = caller;
    this.#timer = setTimeout(
      () => {
        this.#expired = !this.#controller.signal.aborted;
        this.#controller.abort(new Error(`no answer within ${limitMs} ms`));
      },
      Math.min(limitMs, MAX_TIMER_MS),
    );
    if (caller?.aborted) this.#onAbort();
    else caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It was the time limit that aborted the signal, not the caller. */
  get expired(): boolean {
    return this.#expired;
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
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }
}
