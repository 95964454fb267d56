const FRAMES = ['|', '/', '-', '\\'];
const PERIOD_MS = 120;
let holds = 0;

/** No spinner draws while somebody is asked something on the same terminal; call the result when that is over. */
export function holdSpinners(): () => void {
  holds++;
  let held = true;
  return () => {
    if (held) holds--;
    held = false;
  };
}

/** A spinner with elapsed seconds at the end of a terminal's current line; draws nothing when it is no terminal. */
export class Spinner {
  readonly #out: NodeJS.WriteStream;
  #timer: NodeJS.Timeout | undefined;
  #drawn = false;
  #label = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Starts the spinner, from 0 s. The cursor must be at the start of an empty line. */
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

  /** Changes the label alone; the seconds go on. */
  relabel(label: string): void {
    this.#label = label;
  }

  /** Removes it and leaves the cursor at the start of the line. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#drawn) this.#out.write('\r\u001b[K');
    this.#drawn = false;
  }
}
