/** At most 20 frames a second; fewer, but at least 10, where a frame takes more than a ninth of that time. */
const FRAME_MS = 50;
const SLOW_FRAME_MS = 100;
const PAUSE_PER_COST = 9;

/**
 * Schedules frames: the first change at once, then at a rate that the machine can bear. Ink's `maxFps` limits only its
 * writes; React would still render and lay out each token.
 */
export class FrameClock {
  readonly #draw: () => void;
  #timer: NodeJS.Timeout | undefined;
  #begun = Number.NEGATIVE_INFINITY;
  /** Set from the beginning of a frame until it is written. */
  #drawing = false;
  /** Milliseconds that the last frame took until it was written. */
  #cost = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Something changed: calls `draw` when the next frame is due. */
  request(): void {
    if (this.#timer) return;
    const pause = Math.min(SLOW_FRAME_MS, Math.max(FRAME_MS, this.#cost * PAUSE_PER_COST));
    this.#timer = setTimeout(this.#draw, Math.max(0, this.#begun + pause - performance.now()));
  }

  /** A frame is being drawn, requested or not. */
  begin(): void {
    this.stop();
    this.#begun = performance.now();
    this.#drawing = true;
  }

  /** Something was written to the terminal: the frame, or what a component drew by itself, such as a spinner. */
  written(): void {
    if (this.#drawing) this.#cost = performance.now() - this.#begun;
    this.#drawing = false;
  }

  /** Cancels the requested frame. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * How long a window must keep its size. One that is being dragged is resized many times, and tmux informs a program up to
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
