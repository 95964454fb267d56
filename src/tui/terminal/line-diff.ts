import stringWidth from 'string-width';

/** Turns one line on the screen into another: keep `column` columns, then write `text`. */
export interface LineChange {
  readonly column: number;
  /** The rest of the line, preceded by the styles open at `column`. */
  readonly text: string;
  /** Erase the old line from `column` on first. */
  readonly erase: boolean;
}

/** The change from `old` to `next`, both of which close all their styles. */
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
 * The length of the common prefix to keep. Never ends inside an escape sequence, next to a character that might combine
 * with the one before it, or after one whose width is uncertain: the column would be wrong.
 */
function commonLength(old: string, next: string): number {
  const limit = Math.min(old.length, next.length, unambiguousLength(next));
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

/** The sequences that reopen the styles still open at the end of `text`. */
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

/**
 * Characters whose width terminals disagree on: emoji and their joiners, and scripts with combining letters. Accented
 * letters, punctuation, box drawing, spinners and East Asian text have the same width everywhere.
 */
const UNSURE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences have no width
  /[^\u0000-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u2038\u20a0-\u20bf\u2190-\u2193\u2200-\u22ff\u2500-\u259f\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/u;
const ALL_UNSURE = new RegExp(UNSURE, 'gu');

/** Length of the prefix of `text` that has the same width in every terminal. */
export function unambiguousLength(text: string): number {
  const at = text.search(UNSURE);
  return at < 0 ? text.length : at;
}

/** The width of a line in a terminal that draws each part of an emoji separately. */
export function widestWidth(line: string): number {
  const unsure = line.match(ALL_UNSURE);
  if (!unsure) return stringWidth(line);
  const parts = unsure.reduce((sum, character) => sum + Math.max(1, stringWidth(character)), 0);
  return stringWidth(line.replaceAll(ALL_UNSURE, '')) + parts;
}
