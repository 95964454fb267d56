/** At most 20 frames a second; fewer, but no fewer than 10, where a frame takes more than a ninth of the time. */
const FRAME_MS = 50;
const SLOW_FRAME_MS = 100;
const PAUSE_PER_COST = 9;

/** When frames are drawn: soon after something has changed, never more often than the machine can bear. */
export class FrameClock {
  readonly #draw: () => void;
  #timer: NodeJS.Timeout | undefined;
  #begun = Number.NEGATIVE_INFINITY;
  /** Milliseconds that the last frame took, until it was written. */
  #cost = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Something has changed: calls `draw` when the next frame is due. */
  request(): void {
    if (this.#timer) return;
    const pause = Math.min(SLOW_FRAME_MS, Math.max(FRAME_MS, this.#cost * PAUSE_PER_COST));
    this.#timer = setTimeout(this.#draw, Math.max(0, this.#begun + pause - performance.now()));
  }

  /** A frame is drawn now, asked for or not. */
  begin(): void {
    this.stop();
    this.#begun = performance.now();
  }

  /** What the frame came to has been handed to the terminal. */
  written(): void {
    this.#cost = performance.now() - this.#begun;
  }

  /** The frame that was asked for is not drawn. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
