import stringWidth from 'string-width';
import { lineChange, widestWidth } from './line-diff.ts';

export interface PainterTerminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

export interface CursorPlace {
  /** Row of the live region, 0-based. */
  readonly row: number;
  readonly column: number;
}

/** An image that stands in rows of its own. */
export interface ImageRows {
  readonly rows: number;
  /** The text of each row, left of the image. */
  readonly mark: string;
  /** Where the image begins, 0-based. */
  readonly column: number;
  /** Draws it from the cursor to the right and down. */
  readonly sequence: string;
}

export type PrintedRow = string | ImageRows;

/**
 * Erases the cursor's row and all below. Not in one go: tmux keeps a screen that is cleared from its first cell in its
 * history, where the region would stand a second time.
 */
const ERASE_BELOW = '\u001b[K\u001b7\u001b[B\u001b[J\u001b8';
/** Moving rows down costs about this many characters. */
const MIN_SPARED = 16;

/**
 * Keeps a live region at the bottom of the terminal and prints finished lines above it. Writes only the difference to
 * what is on the screen: finishing a line that was live costs nothing. Never touches anything above the live region,
 * and keeps the region shorter than the window.
 */
export class Painter {
  readonly #terminal: PainterTerminal;
  readonly #exact: (line: string) => boolean;
  #lines: readonly string[] = [];
  #cursor: CursorPlace = { row: 0, column: 0 };
  readonly #scrolled = new ScrolledRows();
  /** The window's height when the live region was last where it belongs. */
  #rows: number;

  /** @param exact selects lines to print in one piece even if their text is already there */
  constructor(terminal: PainterTerminal, exact: (line: string) => boolean = () => false) {
    this.#terminal = terminal;
    this.#exact = exact;
    this.#rows = terminal.rows;
  }

  paint(printed: readonly PrintedRow[], next: readonly string[], cursor?: CursorPlace): void {
    if (printed.length > 0) this.#scrolled.clear();
    const height = Math.max(1, this.#terminal.rows - 1);
    const cut = Math.max(0, next.length - height);
    const place = cursor && { row: Math.max(0, cursor.row - cut), column: cursor.column };
    const live = padTo(next.length === 0 ? [''] : next.slice(cut), place);
    const pen = new Pen(this.#cursor);
    let rest = this.#printImages(pen, printed, height);
    const tail = live.slice(live.length - this.#sameBelow(live));
    const step = height - tail.length;
    // More than a window of lines: in steps, so that the unchanged lines below are moved rather than rewritten.
    if (step > 0 && lengthOf(tail) >= MIN_SPARED && !rest.some(line => this.#mayWrap(line))) {
      for (; rest.length + live.length > height; rest = rest.slice(step)) {
        this.#draw(pen, rest.slice(0, step), tail, height);
      }
    }
    this.#draw(pen, rest, live, height);
    const end = place ?? { row: live.length - 1, column: stringWidth(live.at(-1) ?? '') };
    pen.go(end.row, Math.min(end.column, Math.max(0, this.#terminal.columns - 1)));
    this.#cursor = end;
    if (pen.text !== '')
      this.#terminal.write(pen.changes > 1 ? `\u001b[?2026h${pen.text}\u001b[?2026l` : pen.text);
  }

  /**
   * Prints what comes up to the last image; returns the rows after it. Their room is made first, without the live region,
   * which could leave too little of it: then the image scrolls nothing.
   */
  #printImages(pen: Pen, printed: readonly PrintedRow[], height: number): readonly string[] {
    let rows: string[] = [];
    for (const row of printed) {
      if (typeof row === 'string') {
        rows.push(row);
        continue;
      }
      this.#draw(pen, [...rows, ...new Array<string>(row.rows).fill(row.mark)], [''], height);
      if (row.rows <= height) pen.go(-row.rows, row.column).add(`\u001b7${row.sequence}\u001b8`);
      rows = [];
    }
    return rows;
  }

  /** Prints lines and replaces the live region below them. */
  #draw(pen: Pen, printed: readonly string[], live: readonly string[], height: number): void {
    const all = [...printed, ...live];
    if (all.length <= height) this.#makeRoom(pen, all);
    const from = this.#appendFrom(printed, all);
    for (let row = 0; row < from; row++) this.#change(pen, row, all[row] as string, row < printed.length);
    if (from < all.length) this.#append(pen, from, all, printed.length);
    else if (all.length < this.#lines.length) pen.go(all.length, 0).add('\u001b[J');
    this.#lines = live;
    // Rows count from the top of the live region.
    pen.row -= printed.length;
  }

  /** How many lines at the end of `all` are those at the end of the live region. */
  #sameBelow(all: readonly string[]): number {
    const old = this.#lines;
    let same = 0;
    while (same < old.length && same < all.length && old.at(-1 - same) === all.at(-1 - same)) same += 1;
    return same;
  }

  /** Erases the live region, which a resize may have rewrapped or moved; the next paint starts over. */
  forget(): void {
    const columns = Math.max(1, this.#terminal.columns);
    const { rows } = this.#terminal;
    const back = this.#scrolled.takeBack(rows - this.#rows, columns);
    this.#rows = rows;
    const widths = this.#lines.slice(0, this.#cursor.row).map(line => stringWidth(line));
    const above = widths.reduce((sum, width) => sum + rowsOf(width, columns), 0);
    const inRegion = above + Math.floor(this.#cursor.column / columns);
    const highest = Math.max(0, rows - 1);
    this.#scrolled.add(widths, inRegion - highest, columns);
    const up = Math.min(back + inRegion, highest);
    this.#terminal.write(`${up > 0 ? `\u001b[${up}A` : ''}\r${ERASE_BELOW}`);
    this.#lines = [];
    this.#cursor = { row: 0, column: 0 };
  }

  /** Something else was written above the live region. */
  parted(): void {
    this.#scrolled.clear();
    this.#rows = this.#terminal.rows;
  }

  /** If lines were added above unchanged ones (prompt, footer), moves those down instead of rewriting them. */
  #makeRoom(pen: Pen, all: readonly string[]): void {
    const old = this.#lines;
    const grown = all.length - old.length;
    const at = old.length - this.#sameBelow(all);
    if (grown <= 0 || lengthOf(old.slice(at)) < MIN_SPARED || all.some(line => this.#mayWrap(line))) return;
    pen
      .go(old.length - 1, pen.column ?? 0)
      .add('\n'.repeat(grown))
      .add('\r');
    pen.row = all.length - 1;
    pen.column = 0;
    pen.go(at, 0).add(`\u001b[${countOf(grown)}L`);
    pen.changes += 2;
    this.#lines = [...old.slice(0, at), ...new Array<string>(grown).fill(''), ...old.slice(at)];
  }

  #mayWrap(line: string): boolean {
    return widestWidth(line) > this.#terminal.columns;
  }

  /** A live line must stay on one row: no autowrap where the terminal may draw it wider than expected. */
  #oneRow(line: string, text = line): string {
    return this.#mayWrap(line) ? `\u001b[?7l${text}\u001b[?7h` : text;
  }

  /** The first row to append rather than overwrite: a new one, or one that may wrap (and all after it). */
  #appendFrom(printed: readonly string[], all: readonly string[]): number {
    const wide = printed.findIndex(line => this.#mayWrap(line));
    return Math.min(wide < 0 ? all.length : wide, this.#lines.length, all.length);
  }

  #change(pen: Pen, row: number, line: string, isPrinted: boolean): void {
    const old = this.#lines[row] as string;
    if (isPrinted && this.#exact(line)) {
      pen.go(row, 0).add(`\u001b[K${line}`);
    } else if (old !== line) {
      const { column, text, erase } = lineChange(old, line);
      pen.go(row, column).add(`${erase ? '\u001b[K' : ''}${isPrinted ? text : this.#oneRow(line, text)}`);
    } else return;
    pen.changes += 1;
    pen.column = undefined;
  }

  #append(pen: Pen, from: number, all: readonly string[], printed: number): void {
    if (from < this.#lines.length) pen.go(from, 0).add('\u001b[J');
    else if (from > 0) pen.go(from - 1, 0).add('\r\n');
    else pen.go(0, 0);
    const lines = all.map((line, row) => (row < printed ? line : this.#oneRow(line)));
    pen.add(lines.slice(from).join('\r\n'));
    pen.row = all.length - 1;
    pen.column = undefined;
    pen.changes += all.length - from;
  }
}

/** Collects one frame's output and tracks the cursor. */
class Pen {
  text = '';
  changes = 0;
  row: number;
  /** undefined: unknown, possibly past the last column. */
  column: number | undefined;

  constructor(start: CursorPlace) {
    this.row = start.row;
    this.column = start.column;
  }

  go(row: number, column: number): this {
    const down = row - this.row;
    if (down === 1 && column === 0) this.text += '\r\n';
    else {
      if (down !== 0) this.text += `\u001b[${countOf(Math.abs(down))}${down < 0 ? 'A' : 'B'}`;
      if (this.column !== column) this.text += column === 0 ? '\r' : `\u001b[${column + 1}G`;
    }
    this.row = row;
    this.column = column;
    return this;
  }

  add(text: string): this {
    this.text += text;
    return this;
  }
}

/** 1 is what a terminal takes if no number is given. */
const countOf = (count: number): string => (count === 1 ? '' : String(count));

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);

/** Pads the cursor's row with spaces up to the cursor: Ink trims them, but they were typed. */
function padTo(lines: readonly string[], cursor: CursorPlace | undefined): readonly string[] {
  if (!cursor) return lines;
  return lines.map((line, row) =>
    row === cursor.row ? line + ' '.repeat(Math.max(0, cursor.column - stringWidth(line))) : line,
  );
}

/**
 * Rows of the live region that have left the window at its top, because it became lower than the region. They cannot be
 * erased there, but most terminals bring them back, above the region, when the window grows.
 */
class ScrolledRows {
  /** Widths of the lines, in columns, the highest first; of the last one perhaps only its first rows. */
  #widths: number[] = [];

  /** The first `count` rows of these lines have left a window of `columns`. */
  add(widths: readonly number[], count: number, columns: number): void {
    let left = count;
    for (const width of widths) {
      if (left <= 0) return;
      const rows = rowsOf(width, columns);
      this.#widths.push(Math.min(width, left * columns));
      left -= rows;
    }
  }

  /** The window has grown by `grown` rows: how many of them are back. */
  takeBack(grown: number, columns: number): number {
    let back = 0;
    while (back < grown && this.#widths.length > 0) {
      const width = this.#widths.pop() as number;
      const rows = rowsOf(width, columns);
      const fitting = Math.min(rows, grown - back);
      if (fitting < rows) this.#widths.push((rows - fitting) * columns);
      back += fitting;
    }
    return back;
  }

  /** Something else stands between them and the region. */
  clear(): void {
    this.#widths = [];
  }
}

/** How many rows a terminal needs for a line. */
function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
