const MAX_BAR = 24;
const MIN_BAR = 4;
const PERIOD_MS = 100;

/** A bar with percentage and amounts on a terminal's current line; draws nothing if `out` is not a terminal. */
export class ProgressLine {
  readonly #out: NodeJS.WriteStream;
  readonly #label: string;
  readonly #amounts: (done: number, total: number) => string;
  #drawnAt = Number.NEGATIVE_INFINITY;

  /** @param amounts how far it is, in words; default: megabytes */
  constructor(out: NodeJS.WriteStream, label: string, amounts = megabytes) {
    this.#out = out;
    this.#label = label;
    this.#amounts = amounts;
  }

  /**
   * @param total 0 while unknown
   * @param more `, one thing, another`: those for which there is room
   */
  update(done: number, total: number, more = ''): void {
    const now = performance.now();
    if (!this.#out.isTTY || process.env.TERM === 'dumb' || now - this.#drawnAt < PERIOD_MS) return;
    this.#drawnAt = now;
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const rest = `] ${Math.round(share * 100)}% ${this.#amounts(done, total)}`;
    // A line that wraps could not be erased; the last column is left free, where some terminals wrap already.
    const columns = (this.#out.columns || 80) - 1;
    const room = columns - `${this.#label} [${rest}`.length;
    const details = fitting(more, room - MIN_BAR);
    const width = Math.max(MIN_BAR, Math.min(MAX_BAR, room - details.length));
    const filled = Math.round(share * width);
    const line = `${this.#label} [${'#'.repeat(filled)}${'-'.repeat(width - filled)}${rest}${details}`;
    this.#out.write(`\r\u001b[K${line.slice(0, columns)}`);
  }

  /** Erases the bar. */
  end(): void {
    if (Number.isFinite(this.#drawnAt)) this.#out.write('\r\u001b[K');
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }
}

function megabytes(done: number, total: number): string {
  return `${(done / 1e6).toFixed(0)}/${(total / 1e6).toFixed(0)} MB`;
}

function fitting(more: string, room: number): string {
  let shown = '';
  for (const part of more.match(/, [^,]+/g) ?? []) {
    if (shown.length + part.length > room) return shown;
    shown += part;
  }
  return shown;
}
