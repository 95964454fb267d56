import { LineBuffer } from './line-buffer.ts';
import type { Painter, PainterTerminal, PrintedRow } from './painter.ts';

/** How long text waits for Ink's frame: about as long as Ink may hold it back. */
const INK_FRAME_MS = 30;

/**
 * The stream that Ink draws on, in front of the real terminal, and the conversation above what Ink draws. Ink lays out
 * the prompt, the menu, the spinners and the footer. The conversation is rows already, so it goes straight to the
 * painter: through Ink, which lays out and styles every cell of every frame, a streamed reply took three times the CPU.
 *
 * Ink's own ways of drawing are not used either. Its `incrementalRendering` rewrites whole lines, and all of them
 * whenever finished text is printed: for a streamed reply of 2,000 words 5.6 bytes per byte of text and 384 erased
 * lines, against 1.8 and none. It also wipes the terminal when a resize makes its region as tall as the window.
 */
export class InkTerminal {
  readonly #terminal: PainterTerminal;
  readonly #painter: Painter;
  readonly #buffer = new LineBuffer();
  /** Finished lines not yet painted. */
  #finished: PrintedRow[] = [];
  /** Rows of text that may still change, above Ink's region. */
  #growing: readonly string[] = [];
  #waiting: NodeJS.Timeout | undefined;
  /** Frames wait. */
  #held = false;
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
    this.#paint();
    return true;
  }

  /**
   * Prints finished lines and replaces the growing rows, each at most as wide as the window.
   * @param withInk Ink is about to draw a new frame: show both at once.
   */
  show(finished: readonly PrintedRow[], growing: readonly string[], withInk: boolean): void {
    this.#finished.push(...finished);
    this.#growing = growing;
    if (!withInk) this.#paint();
    // A frame that equals Ink's last one is never written.
    else this.#waiting ??= setTimeout(() => this.#paint(), INK_FRAME_MS);
  }

  /** Ignored: on 'resize' Ink erases as many rows as it wrote, but the terminal has rewrapped them. See `erase`. */
  on(): this {
    return this;
  }

  off(): this {
    return this;
  }

  /** Paints what waits for Ink. */
  flush(): void {
    if (this.#waiting) this.#paint();
  }

  /** Draws nothing until `erase`: the window's size is changing. */
  hold(): void {
    this.#held = true;
  }

  /** Erases the live region, even if a resize has rewrapped it. */
  erase(): void {
    this.#held = false;
    this.#painter.forget();
    this.#erased = true;
  }

  /** Redraws the region after `erase`: Ink skips a frame that equals its last one. */
  restore(): void {
    if (this.#erased) this.#paint();
  }

  /** Leaves the terminal to somebody else until `resume`; frames wait. */
  suspend(): void {
    this.flush();
    this.erase();
    this.#painter.parted();
    this.#held = true;
  }

  resume(): void {
    this.#held = false;
    this.#painter.parted();
    this.restore();
  }

  /** The terminal was cleared. */
  cleared(): void {
    this.#painter.parted();
  }

  #paint(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (this.#held) return;
    const { lines, cursor } = this.#buffer;
    const place = cursor && { row: cursor.row + this.#growing.length, column: cursor.column };
    this.#painter.paint(this.#finished, [...this.#growing, ...lines], place);
    this.#finished = [];
    this.#erased = false;
  }
}
