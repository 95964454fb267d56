import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles may stand before the space
const LEADING_SPACE = /^((?:\u001b\[[0-9;]*m)*) +/;

/** Wraps between words; breaks only words wider than the line. Drops the space at a break. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => rowsOf(line, width, true));
}

/** Extra indent of continuation rows that have nothing to align with. */
const INDENT = 2;
/** `/command  what it does`: two columns, at least two spaces apart. */
const TWO_COLUMNS = /^(\s*\S(?:.*?\S)?) {2,}(?=\S)/;

/**
 * Wraps one line of a message. Continuation rows are indented: to the second column of a list of two columns, else a
 * little deeper than the line. A word wider than the window, such as a URL, is left to the terminal to wrap, so that it
 * can be copied.
 */
export function wrapLine(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const columns = TWO_COLUMNS.exec(line);
  const head = columns?.[0] ?? '';
  if (columns && head.length <= width / 2) {
    const [first = '', ...rest] = rowsOf(line.slice(head.length), width - head.length, false);
    return [head + first, ...rest.map(row => ' '.repeat(head.length) + row)];
  }
  const text = columns ? `${columns[1]}  ${line.slice(head.length)}` : line;
  const indent = (/^ */.exec(text)?.[0].length ?? 0) + INDENT;
  const [first = '', ...rest] = rowsOf(text, width - indent, false);
  return [first, ...rest.map(row => ' '.repeat(indent) + row)];
}

function rowsOf(line: string, width: number, hard: boolean): string[] {
  return wrapAnsi(line.trimEnd(), Math.max(1, width), { hard, trim: false })
    .split('\n')
    .map((part, row) => (row === 0 ? part : part.replace(LEADING_SPACE, '$1')).trimEnd());
}
