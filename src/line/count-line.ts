import { duration } from '../text/duration.ts';
import { ProgressLine } from './progress-line.ts';

const STEPS = 10;

/** Progress by number: a bar on a terminal's current line, or a line every 10 % on anything else. */
export class CountLine {
  readonly #out: NodeJS.WriteStream;
  readonly #label: string;
  readonly #bar: ProgressLine;
  readonly #started = performance.now();
  #step = 0;

  constructor(out: NodeJS.WriteStream, label: string) {
    this.#out = out;
    this.#label = label;
    this.#bar = new ProgressLine(out, label, (done, total) => `${done}/${total}`);
  }

  /** @param reused those of the done ones that took no time */
  update(done: number, total: number, reused: number): void {
    const left = (total - done) * ((performance.now() - this.#started) / 1000 / Math.max(1, done - reused));
    const rest = done > reused && done < total ? `, ${duration(left)} left` : '';
    if (this.#out.isTTY) {
      this.#bar.update(done, total, rest);
      return;
    }
    const step = Math.floor((done / total) * STEPS);
    if (step <= this.#step) return;
    this.#step = step;
    this.#out.write(`${this.#label}: ${done}/${total}${rest}\n`);
  }

  /** Removes the bar. */
  end(): void {
    this.#bar.end();
  }
}
