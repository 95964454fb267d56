import stringWidth from 'string-width';

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
