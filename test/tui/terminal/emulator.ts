import xterm from '@xterm/headless';

/** A terminal emulator: what bytes look like on a screen. */
export class Emulator {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  #written: Promise<void> = Promise.resolve();
  bytes = '';
  /** Where the images of OSC 1337 began: rows from the top of the scrollback. */
  readonly images: { row: number; column: number }[] = [];

  constructor(columns: number, rows: number) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
    this.#terminal.parser.registerOscHandler(1337, () => {
      const { baseY, cursorY, cursorX } = this.#terminal.buffer.active;
      this.images.push({ row: baseY + cursorY, column: cursorX });
      return true;
    });
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(data: string): void {
    this.bytes += data;
    this.#written = new Promise(resolve => this.#terminal.write(data, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** Resizes as tmux and most terminals do: a window that grows takes rows back from the scrollback. */
  async resizeTakingBack(columns: number, rows: number): Promise<void> {
    await this.#written;
    const below = this.rows - 1 - this.#terminal.buffer.active.cursorY;
    const grows = rows > this.rows;
    // This one does so only if the cursor is in the last row.
    if (grows && below > 0) this.write(`\u001b[${below}B`);
    await this.#written;
    this.resize(this.columns, rows);
    if (grows && below > 0) this.write(`\u001b[${below}A`);
    await this.#written;
    this.resize(columns, rows);
  }

  /** All lines, scrollback first, without the empty ones at the end; soft-wrapped rows are joined when asked. */
  async lines(join = false): Promise<string[]> {
    await this.#written;
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let row = 0; row < buffer.length; row++) {
      const line = buffer.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (join && line?.isWrapped) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  async cursor(): Promise<{ row: number; column: number }> {
    await this.#written;
    const buffer = this.#terminal.buffer.active;
    return { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX };
  }
}
