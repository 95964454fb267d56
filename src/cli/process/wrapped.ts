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
