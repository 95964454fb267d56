/** Accepted forms of a value besides JSON. */
export interface Dialect {
  /** Marks that enclose a literal string, without escapes. */
  readonly stringMarks?: readonly string[];
}

/** Deeper data is refused: templates and servers cannot handle it either. */
const MAX_DEPTH = 100;

const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
  null: null,
  None: null,
  none: null,
  undefined: null,
};

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\n': '',
};

const NUMBER = /[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$.-]*/uy;
/** If strings have marks of their own, quotes are ordinary characters. */
const MARKED_KEY = /[^:,{}[\]]+/y;
const BARE_KEY = /[^\s:,{}[\]"']+/y;

/** The text is not a value; says what was expected, and where. */
export class LiteralError extends Error {}

/**
 * Reads values from a text: JSON, Python literals, and dialects in between (single quotes, bare keys, trailing
 * commas, raw newlines in strings). Never guesses: a text has one reading or none. Integers beyond the range of a
 * number become bigints.
 */
export class LiteralReader {
  readonly text: string;
  at = 0;
  readonly #marks: readonly string[];
  #depth = 0;

  constructor(text: string, dialect: Dialect = {}) {
    this.text = text;
    this.#marks = dialect.stringMarks ?? [];
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  skipSpace(): void {
    while (this.at < this.text.length && /\s/.test(this.text[this.at] as string)) this.at += 1;
  }

  /** Consumes `token` if it comes next. */
  take(token: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.error(`expected '${token}'`);
  }

  /** An identifier, which may contain dots and dashes. */
  word(): string {
    this.skipSpace();
    const word = this.#match(WORD);
    if (word === undefined) throw this.error('expected a name');
    return word;
  }

  value(): unknown {
    this.skipSpace();
    const mark = this.#marks.find(candidate => this.text.startsWith(candidate, this.at));
    if (mark !== undefined) return this.#marked(mark);
    const char = this.text[this.at];
    if (char === '{') return this.#nested(() => this.#object());
    if (char === '[') return this.#nested(() => this.#list('[', ']'));
    if (char === '(') return this.#nested(() => this.#list('(', ')'));
    if (char === '"' || char === "'") return this.#string(char);
    const number = this.#match(NUMBER);
    if (number !== undefined) return toNumber(number);
    const word = this.#match(WORD);
    if (word !== undefined && Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
    throw this.error(char === undefined ? 'the text ends where a value should be' : 'expected a value');
  }

  error(message: string): LiteralError {
    const near = this.text.slice(this.at, this.at + 20);
    return new LiteralError(`${message} at ${this.at}${near ? `, near ${JSON.stringify(near)}` : ''}`);
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.error(`the data are nested more than ${MAX_DEPTH} levels deep`);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): Record<string, unknown> {
    this.expect('{');
    const entries: [string, unknown][] = [];
    while (!this.take('}')) {
      const key = this.#key();
      this.expect(':');
      entries.push([key, this.value()]);
      if (!this.take(',')) {
        this.expect('}');
        break;
      }
    }
    // fromEntries defines `__proto__` as an ordinary key.
    return Object.fromEntries(entries);
  }

  #key(): string {
    this.skipSpace();
    const mark = this.#marks.find(candidate => this.text.startsWith(candidate, this.at));
    if (mark !== undefined) return this.#marked(mark);
    const char = this.text[this.at];
    const marked = this.#marks.length > 0;
    if (!marked && (char === '"' || char === "'")) return this.#string(char);
    const key = this.#match(marked ? MARKED_KEY : BARE_KEY);
    if (key === undefined) throw this.error('expected a key');
    return key.trim();
  }

  #list(open: string, close: string): unknown[] {
    this.expect(open);
    const items: unknown[] = [];
    while (!this.take(close)) {
      items.push(this.value());
      if (!this.take(',')) {
        this.expect(close);
        break;
      }
    }
    return items;
  }

  #marked(mark: string): string {
    const end = this.text.indexOf(mark, this.at + mark.length);
    if (end < 0) throw this.error(`a string is not closed with ${mark}`);
    const value = this.text.slice(this.at + mark.length, end);
    this.at = end + mark.length;
    return value;
  }

  #string(quote: string): string {
    const start = this.at;
    let value = '';
    let from = start + 1;
    for (let at = from; at < this.text.length; at++) {
      const char = this.text[at];
      if (char === quote) {
        this.at = at + 1;
        return value + this.text.slice(from, at);
      }
      if (char !== '\\') continue;
      const escaped = readEscape(this.text, at + 1);
      value += this.text.slice(from, at) + escaped.value;
      at = escaped.end - 1;
      from = escaped.end;
    }
    throw this.error('a string is not closed');
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return undefined;
    this.at += match[0].length;
    return match[0];
  }
}

/** The single value in `text`. Throws LiteralError. */
export function parseLiteral(text: string, dialect?: Dialect): unknown {
  const reader = new LiteralReader(text, dialect);
  const value = reader.value();
  reader.skipSpace();
  if (!reader.atEnd) throw reader.error('there is more text after the value');
  return value;
}

function readEscape(text: string, at: number): { value: string; end: number } {
  const char = text[at] ?? '';
  const digits = char === 'u' ? 4 : char === 'x' ? 2 : char === 'U' ? 8 : 0;
  const hex = text.slice(at + 1, at + 1 + digits);
  if (digits > 0 && new RegExp(`^[\\da-fA-F]{${digits}}$`).test(hex)) {
    const code = Number.parseInt(hex, 16);
    if (code <= 0x10ffff) {
      const value = code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
      return { value, end: at + 1 + digits };
    }
  }
  const known = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
  if (known !== undefined) return { value: known, end: at + 1 };
  if (char === '\\' || char === '/' || char === '"' || char === "'") return { value: char, end: at + 1 };
  // As in Python, an unknown escape stays as it is.
  return { value: '\\', end: at };
}

function toNumber(text: string): number | bigint {
  const plain = text.replaceAll('_', '');
  const value = Number(plain);
  if (!/^[-+]?\d+$/.test(plain) || Number.isSafeInteger(value)) return value;
  const digits = plain.replace(/^\+/, '');
  return String(value) === digits ? value : BigInt(digits);
}
