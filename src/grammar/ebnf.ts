/** Whitespace in JSON: nothing, a space, or a line break with indentation; always bounded. */
export const SPACE = 'ws';

/** Builds a grammar in xgrammar's EBNF, rule by rule. */
export class Grammar {
  readonly #rules: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #maxRules: number;

  /** `maxRules`: larger grammars are refused. Default 4000. */
  constructor(maxRules = 4000) {
    this.#maxRules = maxRules;
  }

  /**
   * The name of a rule with this body; equal bodies share a rule. @throws RangeError if the grammar gets too large.
   */
  rule(body: string): string {
    if (/^r\d+$/.test(body)) return body;
    const known = this.#names.get(body);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.#names.set(body, name);
    this.define(name, body);
    return name;
  }

  /** A name for a recursive rule, which is defined later. */
  reserve(): string {
    if (this.#rules.length >= this.#maxRules) throw new RangeError('the grammar has too many rules');
    this.#rules.push('');
    return `r${this.#rules.length - 1}`;
  }

  define(name: string, body: string): void {
    this.#rules[Number(name.slice(1))] = `${name} ::= ${body}`;
  }

  /** The text of the grammar with a `root` rule. */
  text(root: string): string {
    const space = `${SPACE} ::= "" | " " | "\\n" [ \\t]{0,40}`;
    return [`root ::= ${root}`, space, ...this.#rules, ''].join('\n');
  }
}

/** A literal text as an expression. */
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

/** `least` to `most` repetitions; undefined: unbounded. */
export function times(expression: string, least: number, most: number | undefined): string {
  if (most !== undefined && most <= 0) return '""';
  if (least === 0 && most === undefined) return `(${expression})*`;
  if (least === 1 && most === undefined) return `(${expression})+`;
  return `(${expression}){${least},${most ?? ''}}`;
}
