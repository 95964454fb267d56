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
