/** A page that is not seen has no frames. */
const HIDDEN_MS = 500;

/** Calls `work` once before the next frame is painted, however often it is asked for until then. */
export class OncePerFrame {
  readonly #work: () => void;
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  ask(): void {
    if (this.#frame !== undefined) return;
    this.#frame = requestAnimationFrame(() => this.now());
    this.#timer = setTimeout(() => this.now(), HIDDEN_MS);
  }

  now(): void {
    cancelAnimationFrame(this.#frame ?? 0);
    clearTimeout(this.#timer);
    this.#frame = undefined;
    this.#work();
  }
}
