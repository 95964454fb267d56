const WIDTH = 24;
const PERIOD_MS = 100;

/** A bar with percentage and megabytes on a terminal's current line; draws nothing if `out` is not a terminal. */
export class ProgressLine {
  readonly #out: NodeJS.WriteStream;
  readonly #label: string;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(out: NodeJS.WriteStream, label: string) {
    this.#out = out;
    this.#label = label;
  }

  /**
   * @param total 0 while unknown
   * @param more appended to the line
   */
  update(done: number, total: number, more = ''): void {
    const now = performance.now();
    if (!this.#out.isTTY || process.env.TERM === 'dumb' || now - this.#drawnAt < PERIOD_MS) return;
    this.#drawnAt = now;
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const filled = Math.round(share * WIDTH);
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${Math.round(share * 100)}%`;
    this.#out.write(`\r\u001b[K${this.#label} ${bar} ${megabytes(done)}/${megabytes(total)} MB${more}`);
  }

  /** Erases the bar. */
  end(): void {
    if (Number.isFinite(this.#drawnAt)) this.#out.write('\r\u001b[K');
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }
}
