/**
 * Control, format and separator characters; unassigned, private and lone surrogate code points; spaces that are not
 * the plain one, since they can pass for it.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** The text on one line with nothing hidden in it: what a terminal would obey or not show becomes `\u{...}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A name or value as it stands in a message: in quotes, nothing hidden, shortened when it is very long. */
export function quoted(value: unknown, maxChars = 80): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const short = text.length > maxChars ? `${text.slice(0, maxChars)}...` : text;
  return typeof value === 'string' ? `'${visible(short)}'` : visible(short);
}
