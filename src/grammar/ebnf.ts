/** Whitespace between tokens of JSON: none, a space, or a new line with its indentation; never without end. */
export const SPACE = 'ws';

/** A grammar in xgrammar's EBNF, put together rule by rule. */
export class Grammar {
  readonly #rules: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #maxRules: number;

  /** `maxRules`: more than this, and the grammar is refused. Default 4000. */
  constructor(maxRules = 4000) {
    this.#maxRules = maxRules;
  }

  /** The name of a rule of this body; the same body is one rule. @throws RangeError for a grammar that grows too large. */
  rule(body: string): string {
    if (/^r\d+$/.test(body)) return body;
    const known = this.#names.get(body);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.#names.set(body, name);
    this.define(name, body);
    return name;
  }

  /** A name for a rule that is defined later, since it holds itself. */
  reserve(): string {
    if (this.#rules.length >= this.#maxRules) throw new RangeError('the grammar has too many rules');
    this.#rules.push('');
    return `r${this.#rules.length - 1}`;
  }

  define(name: string, body: string): void {
    this.#rules[Number(name.slice(1))] = `${name} ::= ${body}`;
  }

  /** The text, with `root` for the whole. */
  text(root: string): string {
    const space = `${SPACE} ::= "" | " " | "\\n" [ \\t]{0,40}`;
    return [`root ::= ${root}`, space, ...this.#rules, ''].join('\n');
  }
}

/** A text as it stands, as an expression. */
export function literal(text: string): string {
  if (text === '') return '""';
  const escaped = Array.from(text, letter => {
    if (letter === '"' || letter === '\\') return `\\${letter}`;
    const code = letter.codePointAt(0) as number;
    if (code >= 0x20 && code < 0x7f) return letter;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

export function oneOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? (expressions[0] as string) : `(${expressions.join(' | ')})`;
}

/** `least` to `most` times; undefined: without end. */
export function times(expression: string, least: number, most: number | undefined): string {
  if (most !== undefined && most <= 0) return '""';
  if (least === 0 && most === undefined) return `(${expression})*`;
  if (least === 1 && most === undefined) return `(${expression})+`;
  return `(${expression}){${least},${most ?? ''}}`;
}
