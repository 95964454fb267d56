import { LineBuffer } from './line-buffer.ts';
import type { Painter, PainterTerminal } from './painter.ts';

/**
 * The stream that Ink draws on, in front of the real terminal. Ink lays out and decides what a frame is; this only
 * changes how a frame reaches the terminal: the painter writes the characters that differ. Ink 6.8 by itself erases and
 * rewrites its region (`incrementalRendering`: each changed line) and erases all of it whenever finished text scrolls
 * out, about every second while a reply streams.
 *
 * What Ink writes: for a frame the erasure of the old region together with the new one; for a frame with finished text
 * (`<Static>`) the erasure, that text, and the region, one after another.
 */
export class InkTerminal {
  readonly #terminal: PainterTerminal;
  readonly #painter: Painter;
  readonly #buffer = new LineBuffer();
  /** Ink erased its region: finished text is what it writes next. */
  #expectsFinished = false;
  /** Finished lines that are not painted yet. */
  #finished: string[] = [];
  #suspended = false;
  /** The live region is gone from the terminal. */
  #erased = false;
  readonly writable = true;
  /** Ink clears the terminal and its scrollback when a region was as tall as the window, as after a resize. */
  readonly rows = Number.POSITIVE_INFINITY;

  constructor(terminal: PainterTerminal, painter: Painter) {
    this.#terminal = terminal;
    this.#painter = painter;
  }

  get columns(): number {
    return Math.max(1, this.#terminal.columns);
  }

  write(data: string): boolean {
    this.#buffer.write(data);
    if (this.#expectsFinished) {
      this.#finished.push(...this.#buffer.take());
      this.#expectsFinished = false;
    } else if (this.#buffer.lines.length === 0) {
      this.#expectsFinished = true;
    } else if (!this.#suspended) {
      this.#paint();
    }
    return true;
  }

  /** Nothing: at a resize Ink would erase by its count of lines, which the terminal has wrapped anew. See `erase`. */
  on(): this {
    return this;
  }

  off(): this {
    return this;
  }

  /** Removes the live region from the terminal, also one that a resize has wrapped anew. */
  erase(): void {
    this.#painter.forget();
    this.#erased = true;
  }

  /** Draws the region again if it was erased. Ink itself writes no frame that equals the last one. */
  restore(): void {
    if (this.#erased) this.#paint();
  }

  /** The terminal is somebody else's until `resume`; what Ink draws meanwhile waits. */
  suspend(): void {
    this.erase();
    this.#suspended = true;
  }

  resume(): void {
    this.#suspended = false;
    this.restore();
  }

  #paint(): void {
    this.#painter.paint(this.#finished, this.#buffer.lines, this.#buffer.cursor);
    this.#finished = [];
    this.#erased = false;
  }
}
