import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * A message as it goes to a stream: on a terminal wrapped between words, anywhere else (and for screen readers) as it is. By
 * itself, since the screen's wrapping would load packages at every start.
 */
export function wrapped(
  text: string,
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
  { TERM }: NodeJS.ProcessEnv,
): string {
  if (!isTTY || TERM === 'dumb') return text;
  return text
    .split('\n')
    .map(line => rowsOf(line, columns || 80).join('\n'))
    .join('\n');
}

/** Rows after the first are indented a little deeper than the line; a longer word, such as a path, is the terminal's to wrap. */
function rowsOf(line: string, columns: number): string[] {
  const indent = ' '.repeat((/^ */.exec(line)?.[0].length ?? 0) + 2);
  const rows: string[] = [];
  let row = '';
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (row === '') row = word;
    else if (row.length + 1 + word.length <= columns) row += ` ${word}`;
    else {
      rows.push(row);
      row = indent + word;
    }
  }
  return [...rows, row];
}

/** A notice for terminals whose locale names another character set than UTF-8. */
export function localeNotice(env: NodeJS.ProcessEnv): string | undefined {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const charset = /\.([^@]+)/.exec(locale)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  return `the locale ${locale} is not UTF-8, which this program reads and writes; set LANG=C.UTF-8 if letters look wrong`;
}

/** The descriptors among stdin, stdout and stderr that were a terminal at the start. */
const TERMINALS = [0, 1, 2].filter(fd => isatty(fd));

/**
 * Closes those whose terminal is gone because its window was closed: at exit Node restores the mode of each terminal and
 * aborts if it cannot. Call it last.
 */
export function closeLostTerminals(): void {
  for (const fd of TERMINALS) {
    if (!isatty(fd)) closeSync(fd);
  }
}
