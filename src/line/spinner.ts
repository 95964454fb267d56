import stringWidth from 'string-width';

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
      const seconds = `${((performance.now() - started) / 1000).toFixed(1)}s`;
      // A row that wraps could not be erased; the last column is left free, where some terminals wrap already.
      const room = (this.#out.columns || 80) - '|  '.length - seconds.length - 1;
      const shown = [FRAMES[frame++ % FRAMES.length], fitting(this.#label, room), seconds];
      this.#out.write(`\r\u001b[K${shown.filter(Boolean).join(' ')}`);
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

/** As much of a text as fits that many columns. */
function fitting(text: string, columns: number): string {
  let shown = '';
  for (const character of text) {
    if (stringWidth(shown + character) > columns) return shown;
    shown += character;
  }
  return shown;
}
