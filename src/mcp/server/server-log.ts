import { cleanText, TEXT_LIMITS } from './incoming-text.ts';

const LINES_PER_SECOND = 100;
const BURST_LINES = 1000;

/** The lines of one server on their way to the log: clean, cut, and no more than a disk or a reader can take. */
export class ServerLog {
  readonly #write: (line: string) => void;
  #left = BURST_LINES;
  #at = performance.now();
  #dropped = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  readonly add = (line: string): void => {
    const now = performance.now();
    this.#left = Math.min(BURST_LINES, this.#left + ((now - this.#at) / 1000) * LINES_PER_SECOND);
    this.#at = now;
    if (this.#left < 1) {
      this.#dropped++;
      return;
    }
    this.#left--;
    this.flush();
    this.#write(cleanText(line, TEXT_LIMITS.logLine));
  };

  /** Tells how many lines were left out since the last time. */
  flush(): void {
    if (this.#dropped === 0) return;
    this.#write(`${this.#dropped} lines are left out: more than ${LINES_PER_SECOND} a second`);
    this.#dropped = 0;
  }
}
