import type { CursorPlace, Painter, PainterTerminal } from './painter.ts';

// What Ink writes before a frame: it erases the lines of the last one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about
const ERASE = /^(?:\u001b\[2K(?:\u001b\[1A)?)*(?:\u001b\[G)?/;

/** The first line of a frame: where it wants the cursor, and a number that differs where the terminal was cleared. */
export function frameMark({ row, column }: CursorPlace, epoch: number): string {
  return `${row};${column};${epoch}`;
}

function cursorOf(mark: string): CursorPlace {
  const [row = 0, column = 0] = mark.split(';').map(Number);
  return { row, column };
}

/**
 * The stream that Ink draws on. Ink erases and rewrites its whole region at every frame; this takes its frames and
 * leaves it to the painter to write what differs. Ink's order of writes: the erasure together with the frame, or the
 * erasure alone, then finished text (`<Static>`), then the frame.
 */
export class InkOutput {
  readonly #terminal: PainterTerminal;
  readonly #painter: Painter;
  #expects: 'frame' | 'printed' | 'frame after printed' = 'frame';
  #printed: readonly string[] = [];
  /** Ink repaints the whole terminal, its scrollback included, when a frame is taller than this. */
  readonly rows = Number.POSITIVE_INFINITY;
  readonly writable = true;

  constructor(terminal: PainterTerminal, painter: Painter) {
    this.#terminal = terminal;
    this.#painter = painter;
  }

  get columns(): number {
    return Math.max(1, this.#terminal.columns);
  }

  write(data: string): boolean {
    const text = data.replace(ERASE, '');
    if (this.#expects === 'printed') {
      this.#printed = linesOf(data);
      this.#expects = 'frame after printed';
    } else if (text === '' && this.#expects === 'frame') {
      this.#expects = 'printed';
    } else {
      const [mark = '', ...lines] = linesOf(text);
      this.#painter.paint(this.#printed, lines, cursorOf(mark));
      this.#printed = [];
      this.#expects = 'frame';
    }
    return true;
  }

  /** The screen tells the components of a new size itself. */
  on(): this {
    return this;
  }

  off(): this {
    return this;
  }
}

function linesOf(text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}
