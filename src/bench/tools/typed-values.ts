import { isPlainObject } from '../../text/json/plain-object.ts';

/** A whole number that was written with a fraction or an exponent (`5.0`), which some types tell from `5`. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export type ValueType = 'text' | 'integer' | 'float' | 'boolean' | 'list' | 'object' | 'null';

/** From here on JSON writes whole numbers with an exponent. */
const MAX_PLAIN = 1e21;

export function typeOf(value: unknown): ValueType {
  if (value instanceof Float) return 'float';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < MAX_PLAIN ? 'integer' : 'float';
    default:
      if (Array.isArray(value)) return 'list';
      return isPlainObject(value) ? 'object' : 'null';
  }
}

/** Whether two values are equal, at any depth: numbers by value, where `true` is 1 and `false` 0. */
export function sameValue(a: unknown, b: unknown): boolean {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined || right !== undefined) return left === right;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  if (isPlainObject(a) && isPlainObject(b)) {
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    return keys.every(key => Object.hasOwn(b, key) && sameValue(a[key], b[key]));
  }
  return a === b;
}

function numberOf(value: unknown): number | undefined {
  if (value instanceof Float) return value.value;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const MARK = '\u0000float';

/** Reads JSON; whole numbers with a fraction or an exponent become `Float`. Throws SyntaxError. */
export function readTypedJson(text: string): unknown {
  const marked = text.replace(JSON_TOKENS, token => {
    const whole = token[0] !== '"' && /[.eE]/.test(token) && Number.isInteger(Number(token));
    return whole ? JSON.stringify({ [MARK]: Number(token) }) : token;
  });
  return JSON.parse(marked, (_, value) =>
    isPlainObject(value) && MARK in value ? new Float(value[MARK] as number) : value,
  );
}
