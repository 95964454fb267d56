import type { DownloadProgress } from '../hub/transfer-meter.ts';
import { duration } from '../text/duration.ts';
import { ProgressLine } from './progress-line.ts';

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
