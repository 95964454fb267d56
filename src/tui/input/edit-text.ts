const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export const graphemes = (text: string): string[] =>
  Array.from(SEGMENTER.segment(text), ({ segment }) => segment);

/** The index after the grapheme at `at`. */
export function nextIndex(text: string, at: number): number {
  const [first] = SEGMENTER.segment(text.slice(at, at + 64));
  return at + (first?.segment.length ?? 0);
}

/** The index before the grapheme that ends at `at`. */
export function previousIndex(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  const start = at === line ? Math.max(0, at - 1) : line;
  return at - (graphemes(text.slice(start, at)).at(-1)?.length ?? 0);
}

export const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The end of the word at or after `at`. */
export function wordEnd(text: string, at: number): number {
  return at + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(at))?.[0].length ?? 0);
}

/** The start of the word at or before `at`. */
export function wordStart(text: string, at: number): number {
  return at - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, at))?.[0].length ?? 0);
}

/** The start of the word before `at` for Ctrl+W, which delimits words by whitespace only. */
export function blankWordStart(text: string, at: number): number {
  return at - (/\S*\s*$/.exec(text.slice(0, at))?.[0].length ?? 0);
}
