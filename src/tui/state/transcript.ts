import type { PrintedRow } from '../terminal/painter.ts';

/** Lines that stand together: a prompt, the work on it (calls, results, notices), a reply, a command's output. */
export type Block = 'prompt' | 'work' | 'reply' | 'output';

/** The finished rows of the conversation: blocks with a blank row between them. Each row is taken once. */
export class Transcript {
  #rows: PrintedRow[] = [];
  #above: Block = 'output';

  /** Assigns the lines that follow to a block: the one above, unless that is of another kind or `apart` is set. */
  open(block: Block, apart = block === 'prompt'): void {
    if (apart || block !== this.#above) this.#rows.push('');
    this.#above = block;
  }

  push(rows: readonly PrintedRow[]): void {
    for (const row of rows) this.#rows.push(row);
  }

  take(): readonly PrintedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
