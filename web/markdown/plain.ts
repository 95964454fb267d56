/** Controls, marks that reorder text, and the invisible tag characters: what is shown must be what is there. */
const HIDING = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** A text as it may be shown. */
export function plain(text: string): string {
  return text.replace(HIDING, '');
}
