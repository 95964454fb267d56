import { setMaxListeners } from 'node:events';

/** setTimeout fires immediately beyond this. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Keeps the SDK's own timer out of the way: a deadline's signal replaces it, and knows who aborted. */
export const NO_TIMEOUT_MS = MAX_TIMER_MS;

export interface DeadlineOptions {
  /** The caller's own signal, which aborts too. */
  readonly signal?: AbortSignal | undefined;
  /** Hard maximum in milliseconds from the start, however often the limit is extended. Default: the limit. */
  readonly maxMs?: number;
}

/** One signal for a time limit and a caller's signal, which remembers which of them aborted it. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #limitMs: number;
  readonly #maxMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #started = performance.now();
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
    // All calls of a reply share one signal; dispose removes each listener.
    if (this.#caller) setMaxListeners(0, this.#caller);
    if (this.#caller?.aborted) this.#onAbort();
    else this.#caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time limit aborted the signal, not the caller. */
  get expired(): boolean {
    return this.#expired;
  }

  /** The limit that was reached: the given one, or the whole time if it was extended. */
  get reachedMs(): number {
    return this.#extended ? this.#elapsed() : this.#limitMs;
  }

  /** Restarts the limit after a sign of life, within the hard maximum. */
  extend(): void {
    if (this.#timer === undefined) return;
    const left = Math.min(this.#limitMs, this.#maxMs - this.#elapsed());
    this.#extended ||= this.#maxMs > this.#limitMs;
    if (this.#extended) this.#arm(Math.max(0, left));
  }

  /** Stops the clock while the user is asked something. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pausedAt = performance.now();
  }

  /** Restarts the limit after a pause. */
  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#pausedMs += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#arm(Math.max(0, Math.min(this.#limitMs, this.#maxMs - this.#elapsed())));
  }

  /** The promise, or a rejection as soon as the signal aborts. */
  async race<T>(promise: Promise<T>): Promise<T> {
    // It may fail once nobody waits for it, which would end the process.
    promise.catch(() => undefined);
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

  /** Must be called when the work is over, or the timer keeps running. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pausedAt = undefined;
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  #elapsed(): number {
    return performance.now() - this.#started - this.#pausedMs;
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
