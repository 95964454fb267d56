/** Characters of a result per token of context: at some 4 characters a token, a fifth of it. */
const CHARS_PER_TOKEN = 0.75;
const MAX_CHARS = 60_000;

/** How many characters of a tool result fit a context of this many tokens. */
export function resultLimit(contextLength: number): number {
  if (contextLength <= 4096) return 3200;
  if (contextLength <= 8192) return 6000;
  return Math.min(MAX_CHARS, Math.round(contextLength * CHARS_PER_TOKEN));
}

/** The text cut to `limit` characters, with a note that tells the model how much is missing. */
export function cutResult(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const shown = pieceOf(text, 0, limit);
  return `${shown}\n... [cut: ${shown.length} of ${text.length} characters]`;
}

/** From `start` to `end` without splitting a surrogate pair; a copy, so that the whole is not kept alive by it. */
export function pieceOf(text: string, start: number, end: number): string {
  const piece = text.slice(wholeCharacter(text, start), wholeCharacter(text, end));
  return Buffer.from(piece, 'utf16le').toString('utf16le');
}

/** The place itself, or one before if it is inside a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const inside = at > 0 && at < text.length && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
  return inside ? at - 1 : at;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
