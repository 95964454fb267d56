import stringWidth from 'string-width';

/**
 * Characters that terminals do not agree on: emoji and what joins them, and scripts whose letters combine. Letters
 * with their accents, punctuation, lines and boxes, spinners and East Asian text are as wide everywhere.
 */
const UNSURE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are passed over
  /[^\u0000-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u2038\u20a0-\u20bf\u2190-\u2193\u2200-\u22ff\u2500-\u259f\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/u;
const ALL_UNSURE = new RegExp(UNSURE, 'gu');

/** How much of `text`, from its begin, is as wide in every terminal; all of it: its length. */
export function sureLength(text: string): number {
  const at = text.search(UNSURE);
  return at < 0 ? text.length : at;
}

/** Columns that a line may take in a terminal that draws each part of an emoji for itself. */
export function widestWidth(line: string): number {
  const unsure = line.match(ALL_UNSURE);
  if (!unsure) return stringWidth(line);
  const parts = unsure.reduce((sum, character) => sum + Math.max(1, stringWidth(character)), 0);
  return stringWidth(line.replaceAll(ALL_UNSURE, '')) + parts;
}
