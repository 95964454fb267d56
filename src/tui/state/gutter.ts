import stringWidth from 'string-width';
import { withoutTabs, wrap } from '../markdown/wrap.ts';
import type { Paint, Theme } from '../style/theme.ts';

/** Whose a line is. Replies and the output of commands have no mark, so that they can be copied as they stand. */
export type Role = 'user' | 'thought' | 'tool' | 'error' | 'notice';

const MARKS: Readonly<Record<Role, string>> = { user: '▌', thought: '│', tool: '│', error: '│', notice: '│' };
const URL_SCHEME = /\w:\/\//;

/**
 * Wraps text to rows behind the mark of a role. Rows of a wrapped line are indented a little deeper than the line, and no
 * word is wider than a row but a URL, which can be copied.
 */
export function gutterRows(text: string, role: Role, width: number, theme: Theme, paint: Paint): string[] {
  const mark = `${theme[role](MARKS[role])} `;
  return linesIn(text, width - 2).map(row => (mark + paint(row)).trimEnd());
}

/** The rows of a text in `width` columns, without marks. */
export function linesIn(text: string, width: number): string[] {
  return withoutTabs(text)
    .split('\n')
    .flatMap(line => indented(line, Math.max(1, width)));
}

const INDENT = 2;

function indented(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const deep = (/^ */.exec(line)?.[0].length ?? 0) + INDENT;
  const indent = deep < width / 2 ? deep : 0;
  const [first = '', ...rest] = wrap(line, width - indent, !URL_SCHEME.test(line));
  return [first, ...rest.map(row => ' '.repeat(indent) + row)];
}
