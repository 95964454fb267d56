import { print, repr } from './print.ts';
import { codePointOffsets, isSpace, strip, Text } from './text.ts';
import {
  type Args,
  argument,
  iterate,
  List,
  lengthOf,
  numberOf,
  templateError,
  textArgument,
  typeName,
  type Value,
} from './values.ts';

type Method = (self: Text, args: Args) => Value;

const MAX_TEXT = 1 << 24;

/** Python's `str` methods, as far as templates may use them. */
export const STRING_METHODS: Readonly<Record<string, Method>> = {
  upper: self => self.rewritten(self.value.toUpperCase()),
  lower: self => self.rewritten(self.value.toLowerCase()),
  casefold: self => self.rewritten(self.value.toLowerCase()),
  capitalize: self => capitalize(self),
  title: self => self.rewritten(self.value.replace(/\p{L}+/gu, word => capitalizeWord(word))),
  swapcase: self =>
    self.rewritten(
      Array.from(self.value, c => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(''),
    ),
  strip: (self, args) => strip(self, 'both', charsOf(args)),
  lstrip: (self, args) => strip(self, 'left', charsOf(args)),
  rstrip: (self, args) => strip(self, 'right', charsOf(args)),
  startswith: (self, args) => affixes(args).some(affix => self.value.startsWith(affix)),
  endswith: (self, args) => affixes(args).some(affix => self.value.endsWith(affix)),
  removeprefix: (self, args) => {
    const prefix = textArgument(args, 0, 'prefix').value;
    return self.value.startsWith(prefix) ? self.slice(prefix.length) : self;
  },
  removesuffix: (self, args) => {
    const suffix = textArgument(args, 0, 'suffix').value;
    return suffix && self.value.endsWith(suffix) ? self.slice(0, self.value.length - suffix.length) : self;
  },
  split: (self, args) => new List(split(self, argument(args, 0, 'sep') ?? null, limitOf(args))),
  rsplit: (self, args) => new List(splitRight(self, argument(args, 0, 'sep') ?? null, limitOf(args))),
  splitlines: (self, args) => new List(splitLines(self, argument(args, 0, 'keepends') === true)),
  partition: (self, args) => partition(self, textArgument(args, 0, 'sep').value, 'left'),
  rpartition: (self, args) => partition(self, textArgument(args, 0, 'sep').value, 'right'),
  replace: (self, args) =>
    replaceText(
      self,
      textArgument(args, 0, 'old'),
      textArgument(args, 1, 'new'),
      numberOf(argument(args, 2, 'count')),
    ),
  join: (self, args) => Text.join(iterate(args.positional[0] ?? null).map(joinItem), self),
  find: (self, args) => codePointIndex(self, self.value.indexOf(textArgument(args, 0, 'sub').value)),
  rfind: (self, args) => codePointIndex(self, self.value.lastIndexOf(textArgument(args, 0, 'sub').value)),
  index: (self, args) => {
    const at = codePointIndex(self, self.value.indexOf(textArgument(args, 0, 'sub').value));
    if (at < 0) throw templateError('substring not found');
    return at;
  },
  count: (self, args) => {
    const sub = textArgument(args, 0, 'sub').value;
    return sub ? self.split(sub).length - 1 : lengthOf(self) + 1;
  },
  format: (self, args) => formatText(self, args),
  isdigit: self => /^\p{Nd}+$/u.test(self.value),
  isnumeric: self => /^\p{N}+$/u.test(self.value),
  isdecimal: self => /^\p{Nd}+$/u.test(self.value),
  isalpha: self => /^\p{L}+$/u.test(self.value),
  isalnum: self => /^[\p{L}\p{N}]+$/u.test(self.value),
  isspace: self => self.value.length > 0 && Array.from(self.value).every(isSpace),
  isupper: self => /\p{Lu}/u.test(self.value) && self.value === self.value.toUpperCase(),
  islower: self => /\p{Ll}/u.test(self.value) && self.value === self.value.toLowerCase(),
  zfill: (self, args) => pad(self, args, '0', 'left'),
  ljust: (self, args) => pad(self, args, fillOf(args), 'right'),
  rjust: (self, args) => pad(self, args, fillOf(args), 'left'),
};

export function capitalize(text: Text): Text {
  return text.rewritten(capitalizeWord(text.value));
}

function capitalizeWord(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length).toLowerCase();
}

/** An empty `old` inserts between all characters, as in Python. */
export function replaceText(self: Text, old: Text, replacement: Text, count = -1): Text {
  const limit = count < 0 ? Number.POSITIVE_INFINITY : count;
  if (old.value.length > 0) {
    const found = occurrences(self.value, old.value);
    if (found === 0) return self;
    checkLength(self.value.length + Math.min(found, limit) * (replacement.value.length - old.value.length));
    // Without marks to keep, no object for each piece is needed.
    if (found <= limit && !self.hasForeign && !replacement.hasForeign) {
      return Text.of(replaceEach(self.value, old.value, replacement.value));
    }
    const pieces = self.split(old.value, limit);
    return Text.join(pieces, replacement);
  }
  checkLength((self.value.length + 1) * replacement.value.length);
  const offsets = codePointOffsets(self.value);
  const parts: Text[] = [];
  offsets.forEach((offset, index) => {
    if (index < limit) parts.push(replacement);
    parts.push(self.slice(offset, offsets[index + 1] ?? offset));
  });
  return Text.concat(parts);
}

const PIECES_AT_ONCE = 1 << 14;

/** As `replaceAll`, which for millions of places holds an object for each of them. */
function replaceEach(text: string, old: string, replacement: string): string {
  const joined: string[] = [];
  let pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, from)) {
    pieces.push(text.slice(from, at), replacement);
    from = at + old.length;
    if (pieces.length < PIECES_AT_ONCE) continue;
    joined.push(pieces.join(''));
    pieces = [];
  }
  return [...joined, ...pieces, text.slice(from)].join('');
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

export function checkSize(text: Text): Text {
  checkLength(text.value.length);
  return text;
}

export function repeat(text: Text, times: number): Text {
  const count = Math.max(0, times);
  checkLength(text.value.length * count);
  return text.rewritten(text.value.repeat(count));
}

/** A template must not be able to exhaust memory. */
function checkLength(length: number): void {
  if (length > MAX_TEXT) throw templateError('a string grew beyond 16 million characters');
}

/** `{}`, `{0}`, `{name}` and `{{`; format specs are not supported. */
function formatText(self: Text, args: Args): Text {
  const parts: Text[] = [];
  let next = 0;
  let from = 0;
  for (const match of self.value.matchAll(/\{\{|\}\}|\{(\w*)(![rs])?\}|[{}]/g)) {
    const [whole, field, conversion] = match;
    parts.push(self.slice(from, match.index));
    from = match.index + whole.length;
    if (whole === '{{' || whole === '}}') {
      parts.push(Text.of(whole.slice(1)));
      continue;
    }
    if (field === undefined)
      throw templateError(`str.format: '${self.value}' holds a field that is not supported`);
    const value = /^\d*$/.test(field)
      ? args.positional[field === '' ? next++ : Number(field)]
      : args.named.get(field);
    if (value === undefined) throw templateError(`str.format: no value for '{${field}}'`);
    parts.push(conversion === '!r' ? repr(value) : print(value));
  }
  parts.push(self.slice(from));
  return Text.concat(parts);
}

function charsOf(args: Args): string | undefined {
  const chars = argument(args, 0, 'chars') ?? null;
  if (chars === null) return undefined;
  return textArgument(args, 0, 'chars').value;
}

function limitOf(args: Args): number {
  const limit = numberOf(argument(args, 1, 'maxsplit')) ?? -1;
  return limit < 0 ? Number.POSITIVE_INFINITY : limit;
}

function affixes(args: Args): string[] {
  const value = args.positional[0];
  const items = value instanceof List ? value.items : [value ?? null];
  return items.map(item => {
    if (item instanceof Text) return item.value;
    throw templateError(`startswith and endswith take a string or a tuple of strings, not ${typeName(item)}`);
  });
}

function joinItem(item: Value): Text {
  if (item instanceof Text) return item;
  throw templateError(`join: expected a string, found ${typeName(item)}`);
}

function separatorOf(separator: Value): string | undefined {
  if (separator === null) return undefined;
  if (!(separator instanceof Text)) throw templateError('split: the separator must be a string');
  if (separator.value === '') throw templateError('split: empty separator');
  return separator.value;
}

function split(self: Text, separator: Value, limit: number): Text[] {
  const mark = separatorOf(separator);
  if (mark !== undefined) return self.split(mark, limit);
  const pieces: Text[] = [];
  let rest = strip(self, 'left');
  while (rest.value.length > 0 && pieces.length < limit) {
    const end = Array.from(rest.value).findIndex(isSpace);
    if (end < 0) break;
    const offset = codePointOffsets(rest.value)[end] ?? 0;
    pieces.push(rest.slice(0, offset));
    rest = strip(rest.slice(offset), 'left');
  }
  if (rest.value.length > 0) pieces.push(rest);
  return pieces;
}

function splitRight(self: Text, separator: Value, limit: number): Text[] {
  const mark = separatorOf(separator);
  if (limit === Number.POSITIVE_INFINITY) return split(self, separator, limit);
  if (mark === undefined) throw templateError('rsplit: a limit needs a separator');
  const pieces = self.split(mark);
  const head = pieces.length - limit;
  if (head <= 1) return pieces;
  return [Text.join(pieces.slice(0, head), Text.of(mark)), ...pieces.slice(head)];
}

function splitLines(self: Text, keepEnds: boolean): Text[] {
  const lines: Text[] = [];
  let from = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Python ends lines at them.
  for (const match of self.value.matchAll(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g)) {
    lines.push(self.slice(from, match.index + (keepEnds ? match[0].length : 0)));
    from = match.index + match[0].length;
  }
  if (from < self.value.length) lines.push(self.slice(from));
  return lines;
}

function partition(self: Text, mark: string, side: 'left' | 'right'): List {
  const at = side === 'left' ? self.value.indexOf(mark) : self.value.lastIndexOf(mark);
  const none = Text.of('');
  if (at < 0) return new List(side === 'left' ? [self, none, none] : [none, none, self], 'tuple');
  return new List(
    [self.slice(0, at), self.slice(at, at + mark.length), self.slice(at + mark.length)],
    'tuple',
  );
}

function codePointIndex(self: Text, at: number): number {
  return at < 0 ? -1 : Array.from(self.value.slice(0, at)).length;
}

function fillOf(args: Args): string {
  return args.positional[1] === undefined ? ' ' : textArgument(args, 1, 'fillchar').value;
}

function pad(self: Text, args: Args, fill: string, side: 'left' | 'right'): Text {
  const missing = (numberOf(args.positional[0]) ?? 0) - lengthOf(self);
  if (missing <= 0) return self;
  const padding = repeat(Text.of(fill), missing);
  return Text.concat(side === 'left' ? [padding, self] : [self, padding]);
}
