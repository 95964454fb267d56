/** A half-open range of UTF-16 offsets. */
export type Span = readonly [start: number, end: number];

/** As much as a whole prompt may have. */
const MAX_LENGTH = 1 << 26;
const NONE: readonly Span[] = [];
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

/**
 * A string that remembers which of its characters came from outside the template (messages, tools, documents).
 * Every operation of the template language keeps the marks, so a prompt's template text and content can be
 * told apart however the template trims, splits or joins it.
 */
export class Text {
  readonly value: string;
  /** Ascending and disjoint. */
  readonly foreign: readonly Span[];
  /** Python's Markup: text added to it is HTML-escaped. */
  readonly markup: boolean;

  private constructor(value: string, foreign: readonly Span[], markup = false) {
    this.value = value;
    this.foreign = foreign;
    this.markup = markup;
  }

  static of(value: string, foreign = false): Text {
    return new Text(value, foreign && value.length > 0 ? [[0, value.length]] : NONE);
  }

  static concat(parts: readonly Text[]): Text {
    if (parts.length === 1 && parts[0]) return parts[0];
    const length = parts.reduce((sum, part) => sum + part.value.length, 0);
    if (length > MAX_LENGTH) throw new RangeError('a string grew beyond 64 million characters');
    const foreign: Span[] = [];
    let offset = 0;
    for (const part of parts) {
      for (const [start, end] of part.foreign) foreign.push([start + offset, end + offset]);
      offset += part.value.length;
    }
    return new Text(parts.map(part => part.value).join(''), foreign.length > 0 ? foreign : NONE);
  }

  static join(parts: readonly Text[], separator: Text): Text {
    return Text.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
  }

  get hasForeign(): boolean {
    return this.foreign.length > 0;
  }

  slice(start: number, end: number = this.value.length): Text {
    if (start === 0 && end === this.value.length) return this;
    const foreign: Span[] = [];
    for (const [from, to] of this.foreign) {
      const low = Math.max(from, start);
      const high = Math.min(to, end);
      if (low < high) foreign.push([low - start, high - start]);
    }
    return new Text(this.value.slice(start, end), foreign.length > 0 ? foreign : NONE, this.markup);
  }

  asMarkup(): Text {
    return new Text(this.value, this.foreign, true);
  }

  /** HTML-escaped, unless it already is markup. */
  escaped(): Text {
    if (this.markup) return this;
    return this.rewritten(this.value.replace(/[&<>'"]/g, char => ENTITIES[char] ?? char)).asMarkup();
  }

  /** Python's `+`. */
  plus(other: Text): Text {
    if (!this.markup && !other.markup) return Text.concat([this, other]);
    return Text.concat([this.escaped(), other.escaped()]).asMarkup();
  }

  /** The result of a rewrite that loses positions: a single foreign character makes all of it foreign. */
  rewritten(value: string): Text {
    if (!this.hasForeign) return Text.of(value);
    return value.length === this.value.length ? new Text(value, this.foreign) : Text.of(value, true);
  }

  /** The pieces between the (non-empty) matches of `separator`, with at most `limit` cuts from the left. */
  split(separator: string, limit = Number.POSITIVE_INFINITY): Text[] {
    const pieces: Text[] = [];
    let from = 0;
    while (pieces.length < limit) {
      const at = this.value.indexOf(separator, from);
      if (at < 0) break;
      pieces.push(this.slice(from, at));
      from = at + separator.length;
    }
    pieces.push(this.slice(from));
    return pieces;
  }

  toString(): string {
    return this.value;
  }
}

/** UTF-16 offsets of the code points of `text`, plus its length; Python counts code points. */
export function codePointOffsets(text: string): number[] {
  const offsets: number[] = [];
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) offsets.push(at);
  offsets.push(text.length);
  return offsets;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts them as whitespace.
const WHITESPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Python's `str.isspace` for one character. */
export function isSpace(char: string): boolean {
  return WHITESPACE.test(char);
}

/** Python's `strip`: `chars` undefined strips whitespace. */
export function strip(text: Text, side: 'left' | 'right' | 'both', chars?: string): Text {
  const set = chars === undefined ? undefined : new Set(chars);
  const drops = (char: string) => (set ? set.has(char) : isSpace(char));
  const characters = Array.from(text.value);
  let start = 0;
  let first = 0;
  if (side !== 'right') {
    while (first < characters.length && drops(characters[first] as string))
      start += (characters[first++] as string).length;
  }
  let end = text.value.length;
  let last = characters.length;
  if (side !== 'left') {
    while (last > first && drops(characters[last - 1] as string))
      end -= (characters[--last] as string).length;
  }
  return text.slice(start, end);
}
