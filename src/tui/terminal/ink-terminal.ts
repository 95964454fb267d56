import { LineBuffer } from './line-buffer.ts';
import type { Painter, PainterTerminal } from './painter.ts';

/**
 * The stream that Ink draws on, in front of the real terminal. Ink does the layout and decides on frames; this changes
 * only how a frame gets to the terminal: the painter writes the characters that differ. Ink's `incrementalRendering`
 * rewrites whole lines, and all of them whenever finished text is printed: for a streamed reply of 2,000 words 5.6 bytes
 * per byte of text and 384 erased lines, against 1.8 and none. It also wipes the terminal when a resize makes its region
 * as tall as the window.
 *
 * Ink writes a frame as one erasure and the new region. With finished text (`<Static>`) it makes three writes: the
 * erasure, the text, the region.
 */
export class InkTerminal {
  readonly #terminal: PainterTerminal;
  readonly #painter: Painter;
  readonly #buffer = new LineBuffer();
  /** Ink erased its region: its next write is finished text. */
  #expectsFinished = false;
  /** Finished lines not yet painted. */
  #finished: string[] = [];
  #suspended = false;
  /** The live region is gone from the terminal. */
  #erased = false;
  readonly writable = true;
  /** Ink wipes the terminal and its scrollback if its region is as tall as the window, as it may be after a resize. */
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

  /** Ignored: on 'resize' Ink erases as many rows as it wrote, but the terminal has rewrapped them. See `erase`. */
  on(): this {
    return this;
  }

  off(): this {
    return this;
  }

  /** Erases the live region, even if a resize has rewrapped it. */
  erase(): void {
    this.#painter.forget();
    this.#erased = true;
  }

  /** Redraws the region after `erase`: Ink skips a frame that equals its last one. */
  restore(): void {
    if (this.#erased) this.#paint();
  }

  /** Leaves the terminal to somebody else until `resume`; frames wait. */
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
