import type { CursorPlace } from './painter.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it splits escape sequences from text; styles are text
const TOKENS = /\u001b\[(\??\d*)([ABGKhl])|(\n)|((?:(?!\u001b\[\??\d*[ABGKhl])[^\n])+)/g;

/**
 * The lines that Ink's writes leave on a terminal, and its cursor. Understands what Ink's `log-update` writes: text,
 * newlines, cursor up, down and to a column, erase line (always from the last line upwards), show and hide the cursor.
 */
export class LineBuffer {
  #lines: string[] = [''];
  #row = 0;
  #column = 0;
  #shown = false;

  write(data: string): void {
    for (const [, parameter = '', command, newline, text] of data.matchAll(TOKENS)) {
      if (text !== undefined) this.#lines[this.#row] += text;
      else if (newline !== undefined) this.#newline();
      else this.#command(command as string, parameter);
    }
  }

  /** The lines above the one that the cursor ends up on after the last newline. */
  get lines(): readonly string[] {
    return this.#lines.slice(0, -1);
  }

  /** undefined while hidden. */
  get cursor(): CursorPlace | undefined {
    return this.#shown ? { row: this.#row, column: this.#column } : undefined;
  }

  #newline(): void {
    this.#row += 1;
    this.#lines[this.#row] ??= '';
  }

  #command(command: string, parameter: string): void {
    const count = Number(parameter || 1);
    if (command === 'A') this.#row = Math.max(0, this.#row - count);
    else if (command === 'B') this.#row += count;
    else if (command === 'G') this.#column = count - 1;
    else if (command === 'K') this.#lines.splice(this.#row, this.#lines.length, '');
    else if (parameter === '?25') this.#shown = command === 'h';
  }
}
