/**
 * Control, format and separator characters; unassigned, private-use and lone surrogate code points; spaces other than
 * U+0020, which look like it.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** The text on one line with nothing hidden: characters a terminal would obey or not show become `\u{...}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A name or value for a message: in quotes, nothing hidden, shortened if very long. */
export function quoted(value: unknown, maxChars = 80): string {
  return typeof value === 'string' ? `'${visible(cut(value, maxChars))}'` : shownJson(value, maxChars);
}

/** A value for a message as JSON, nothing hidden, shortened if very long; a foreign one may be too deep to be written. */
export function shownJson(value: unknown, maxChars = 200): string {
  try {
    return visible(cut(JSON.stringify(value) ?? String(value), maxChars));
  } catch {
    return 'a value that is nested too deep';
  }
}

function cut(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}...` : text;
}
