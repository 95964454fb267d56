import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

const RING_CHARS = 64 * 1024;
const MAX_LINE_CHARS = 4096;

/** Keeps the last 64 KB of a server's stderr, and logs each whole line. */
export class StderrTail {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #kept = '';
  #line = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Each step logs a line. */
  *push(chunk: Buffer): Generator<void> {
    const text = this.#decoder.write(chunk);
    this.#kept = (this.#kept + text).slice(-RING_CHARS);
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) {
      this.#emit(line);
      yield;
    }
    // A progress bar that never ends its line must not pile up.
    if (this.#line.length > MAX_LINE_CHARS) this.flush();
  }

  /** Logs the unfinished last line. */
  flush(): void {
    this.#emit(this.#line);
    this.#line = '';
  }

  /** The last lines for a message, without colors; '' if nothing was written. */
  last(lines = 15): string {
    const all = stripVTControlCharacters(this.#kept).split('\n');
    return all
      .map(line => line.trimEnd().slice(0, 500))
      .filter(line => line !== '')
      .slice(-lines)
      .join('\n');
  }

  #emit(line: string): void {
    const text = line.trimEnd().slice(0, MAX_LINE_CHARS);
    if (text !== '') this.#onLine(text);
  }
}
