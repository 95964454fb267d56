import stringWidth from 'string-width';
import { sureLength } from './sure-width.ts';

/** How one line on the screen becomes another: keep `column` columns, then write `text`. */
export interface LineChange {
  readonly column: number;
  /** Opens the styles that hold at `column`, then the rest of the line. */
  readonly text: string;
  /** The old line was longer: erase behind `column` first. */
  readonly erase: boolean;
}

/** What must be written so that a line that shows `old` shows `next`. Both end with all styles closed. */
export function lineChange(old: string, next: string): LineChange {
  const at = commonLength(old, next);
  const kept = next.slice(0, at);
  return {
    column: stringWidth(kept),
    text: openStyles(kept) + next.slice(at),
    erase: stringWidth(old) > stringWidth(next) || stringWidth(old.slice(at)) > 0,
  };
}

/**
 * Never inside an escape sequence, never beside a character that might join the one before it, and never behind one
 * that the terminal may draw wider or narrower than we think: the column would be another.
 */
function commonLength(old: string, next: string): number {
  const limit = Math.min(old.length, next.length, sureLength(next));
  let at = 0;
  while (at < limit && old[at] === next[at]) at += 1;
  for (let sure = -1; sure !== at; ) {
    sure = at;
    while (at > 0 && !(isPlain(next[at - 1]) && isPlain(next[at]) && isPlain(old[at]))) at -= 1;
    const sequence = at > 0 ? next.lastIndexOf('\u001b', at - 1) : -1;
    if (sequence >= 0 && next.indexOf('m', sequence) >= at) at = sequence;
  }
  return at;
}

const isPlain = (char: string | undefined) => char === undefined || char <= '\u007e';

const CLOSERS: Readonly<Record<string, readonly string[]>> = {
  '22': ['1', '2'],
  '23': ['3'],
  '24': ['4'],
  '27': ['7'],
  '29': ['9'],
};

/** The sequences that open what is still open at the end of `text`. */
function openStyles(text: string): string {
  if (!text.includes('\u001b')) return '';
  let open: string[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about
  for (const [, code = ''] of text.matchAll(/\u001b\[([0-9;]*)m/g)) {
    if (code === '' || code === '0') open = [];
    else if (code === '39') open = open.filter(one => !isForeground(one));
    else if (CLOSERS[code]) open = open.filter(one => !CLOSERS[code]?.includes(one));
    else open.push(code);
  }
  return open.map(code => `\u001b[${code}m`).join('');
}

const isForeground = (code: string) => /^(3[0-8]|9[0-7])(;|$)/.test(code);
