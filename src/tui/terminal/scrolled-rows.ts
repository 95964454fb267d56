/**
 * Rows of the live region that have left the window at its top, because it became lower than the region. They cannot be
 * erased there, but most terminals bring them back, above the region, when the window grows.
 */
export class ScrolledRows {
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
export function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
