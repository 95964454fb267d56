import type { CursorPlace, Painter, PainterTerminal, PrintedRow } from './painter.ts';

/**
 * The stream that Ink draws on, in front of the real terminal, and the conversation above what Ink draws. Ink lays out
 * the prompt, the menu, the spinners and the footer. The conversation is rows already, so it goes straight to the
 * painter: through Ink, which lays out and styles every cell of every frame, a streamed reply took three times the CPU.
 *
 * Ink's own ways of drawing are not used either: with `debug` it writes each frame whole, as plain lines. Its
 * `incrementalRendering` rewrites whole lines, and all of them whenever finished text is printed: for a streamed reply of
 * 2,000 words 5.6 bytes per byte of text and 384 erased lines, against 1.8 and none.
 */
export class InkTerminal {
  readonly #terminal: PainterTerminal;
  readonly #painter: Painter;
  /** Ink's last frame. */
  #frame: readonly string[] = [];
  /** In the frame. */
  #cursor: CursorPlace | undefined;
  /** Finished lines not yet painted. */
  #finished: PrintedRow[] = [];
  /** Rows of text that may still change, above Ink's region. */
  #growing: readonly string[] = [];
  /** Something was shown and not yet painted. */
  #waiting = false;
  /** Frames wait. */
  #held = false;
  /** The live region is gone from the terminal. */
  #erased = false;
  readonly writable = true;

  constructor(terminal: PainterTerminal, painter: Painter) {
    this.#terminal = terminal;
    this.#painter = painter;
  }

  get columns(): number {
    return Math.max(1, this.#terminal.columns);
  }

  /** Ink's next frame: painted together with what was shown before it. */
  write(frame: string): boolean {
    this.#frame = frame === '' ? [] : frame.split('\n');
    this.#paint();
    return true;
  }

  /** Where the cursor belongs in the frame that comes next. */
  readonly place = (cursor: CursorPlace): void => {
    this.#cursor = cursor;
  };

  /** Takes finished lines and replaces the growing rows, each at most as wide as the window. Painted with Ink's next frame, or by `flush`. */
  show(finished: readonly PrintedRow[], growing: readonly string[]): void {
    this.#finished.push(...finished);
    this.#growing = growing;
    this.#waiting = true;
  }

  /** Ignored: on 'resize' Ink erases as many rows as it wrote, but the terminal has rewrapped them. See `erase`. */
  on(): this {
    return this;
  }

  off(): this {
    return this;
  }

  /** Paints what was shown, if no frame of Ink has come with it. */
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

  /** Redraws the region after `erase`, if no frame has come since. */
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
    this.#waiting = false;
    if (this.#held) return;
    const cursor = this.#cursor && { ...this.#cursor, row: this.#cursor.row + this.#growing.length };
    this.#painter.paint(this.#finished, [...this.#growing, ...this.#frame], cursor);
    this.#finished = [];
    this.#erased = false;
  }
}

/** Longer lines are hard to read. */
const MAX_TEXT = 100;

/** The terminal's window, as large as it is at the moment. */
export class Window {
  readonly #output: NodeJS.WriteStream;
  readonly #written: () => void;

  /** @param written is called after each write */
  constructor(output: NodeJS.WriteStream, written: () => void) {
    this.#output = output;
    this.#written = written;
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  /** The columns that everything keeps to but code and tables. */
  get textColumns(): number {
    return Math.min(this.columns, MAX_TEXT);
  }

  write(text: string): void {
    this.#output.write(text);
    this.#written();
  }
}
