import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles may stand before the space
const LEADING_SPACE = /^((?:\u001b\[[0-9;]*m)*) +/;

/** Wraps between words; breaks only words wider than the line, or none. Drops the space at a break. */
export function wrap(text: string, width: number, breakWords = true): string[] {
  return text.split('\n').flatMap(line => rowsOf(line, width, breakWords));
}

/** Extra indent of continuation rows that have nothing to align with. */
const INDENT = 2;
/** `/command  what it does`: two columns, at least two spaces apart. */
const TWO_COLUMNS = /^(\s*\S(?:.*?\S)?) {2,}(?=\S)/;

/**
 * Wraps one line of a message. Continuation rows are indented: to the second column of a list of two columns, else a
 * little deeper than the line. A word wider than the window, such as a URL, is left to the terminal to wrap, so that it
 * can be copied; scripts written without spaces are wrapped between characters.
 */
export function wrapLine(raw: string, width: number): string[] {
  const line = withoutTabs(raw);
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

/** Text of a script without spaces: a long run of its characters is no word to be kept whole. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u;
const isSpaceless = (text: string): boolean => SPACELESS.test(text) && !/\w:\/\//.test(text);
/** Tabs are as wide as the terminal's stops make them: four spaces are that wide everywhere. */
export const withoutTabs = (text: string): string => text.replaceAll('\t', '    ');

function rowsOf(line: string, width: number, hard: boolean): string[] {
  const text = withoutTabs(line.trimEnd());
  return wrapAnsi(text, Math.max(1, width), { hard: hard || isSpaceless(text), trim: false })
    .split('\n')
    .map((part, row) => (row === 0 ? part : part.replace(LEADING_SPACE, '$1')).trimEnd());
}
