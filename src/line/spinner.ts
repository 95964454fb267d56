const FRAMES = ['|', '/', '-', '\\'];
const PERIOD_MS = 120;
let holds = 0;

/** Stops all spinners from drawing while the user answers a question; call the result to let them go on. */
export function holdSpinners(): () => void {
  holds++;
  let held = true;
  return () => {
    if (held) holds--;
    held = false;
  };
}

/** A spinner with elapsed seconds on a terminal's current line; draws nothing if `out` is not a terminal. */
export class Spinner {
  readonly #out: NodeJS.WriteStream;
  #timer: NodeJS.Timeout | undefined;
  #drawn = false;
  #label = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Starts at 0 s. The cursor must be at the start of an empty line. */
  start(label: string): void {
    if (!this.#out.isTTY || process.env.TERM === 'dumb') return;
    this.stop();
    this.#label = label;
    const started = performance.now();
    let frame = 0;
    this.#timer = setInterval(() => {
      if (holds > 0) return;
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      this.#out.write(`\r\u001b[K${FRAMES[frame++ % FRAMES.length]} ${this.#label} ${seconds}s`);
      this.#drawn = true;
    }, PERIOD_MS);
    this.#timer.unref();
  }

  /** Changes the label and keeps counting. */
  relabel(label: string): void {
    this.#label = label;
  }

  /** Erases it and leaves the cursor at the start of the line. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#drawn) this.#out.write('\r\u001b[K');
    this.#drawn = false;
  }
}
