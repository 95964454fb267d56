import type { DownloadProgress } from '../hub/transfer-meter.ts';
import { duration } from '../text/duration.ts';

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

const STEPS = 10;

/** A download's progress: a bar on a terminal's current line, or a line every 10 % on anything else. */
export class DownloadLine {
  readonly #out: NodeJS.WriteStream;
  readonly #name: string;
  readonly #bar: ProgressLine;
  #step = -1;

  constructor(out: NodeJS.WriteStream, name: string) {
    this.#out = out;
    this.#name = name;
    this.#bar = new ProgressLine(out, 'Downloading');
  }

  update(progress: DownloadProgress): void {
    const { doneBytes, totalBytes } = progress;
    if (this.#out.isTTY) {
      this.#bar.update(doneBytes, totalBytes, details(progress));
      return;
    }
    const step = totalBytes > 0 ? Math.floor((doneBytes / totalBytes) * STEPS) : 0;
    if (step <= this.#step) return;
    this.#step = step;
    const share = `${Math.round((doneBytes / totalBytes) * 100)}%`;
    const megabytes = `${megabytesOf(doneBytes)}/${megabytesOf(totalBytes)} MB`;
    this.#out.write(`Downloading ${this.#name}: ${share}, ${megabytes}${details(progress)}\n`);
  }

  waiting(pid: number | undefined): void {
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    this.#out.write(`Waiting for ${who}, which downloads ${this.#name} ...\n`);
  }

  /** Removes the bar. */
  end(): void {
    this.#bar.end();
  }
}

/** `, 12.3 MB/s, 4 min left` */
function details({ bytesPerSecond, secondsLeft, checking }: DownloadProgress): string {
  if (checking) return ', checking';
  if (bytesPerSecond === 0 || secondsLeft === undefined) return '';
  return `, ${(bytesPerSecond / 1e6).toFixed(1)} MB/s, ${duration(secondsLeft)} left`;
}

const megabytesOf = (bytes: number): string => (bytes / 1e6).toFixed(0);

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
