/**
 * How long a window must keep its size. One that is being dragged is resized many times, and tmux tells a program up to
 * 250 ms late: what is drawn for one size on a terminal of another erases text or leaves it twice.
 */
const SETTLE_MS = 400;

/** Waits until a window that is being resized has its size. */
export class ResizeClock {
  readonly #settled: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(settled: () => void) {
    this.#settled = settled;
  }

  /** The size may change again. */
  get running(): boolean {
    return this.#timer !== undefined;
  }

  /** The window has got another size. A program that was kept waiting hears of the next one before its timer counts. */
  resized(): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => setImmediate(() => this.#timer === timer && this.finish()), SETTLE_MS);
    this.#timer = timer;
  }

  /** Waits no longer. */
  finish(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settled();
  }
}
