import { print, repr } from './print.ts';
import { checkSize, repeat } from './string-methods.ts';
import { Text } from './text.ts';
import {
  compare,
  Dict,
  equal,
  Float,
  iterate,
  List,
  numberOf,
  templateError,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** All binary operators but `and` and `or`, by Python's rules. */
export function binary(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '~':
      return checkSize(Text.concat([print(left), print(right)]));
  }
  if (left instanceof Undefined) throw templateError(left.what);
  if (right instanceof Undefined) throw templateError(right.what);
  switch (operator) {
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    case '>=':
      return compare(left, right) >= 0;
  }
  return sequenceOperator(operator, left, right) ?? arithmetic(operator, left, right);
}

export function negate(operator: string, value: Value): Value {
  const number = numberOf(value);
  if (number === undefined)
    throw templateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  const result = operator === '-' ? -number : number;
  return value instanceof Float ? new Float(result) : result || 0;
}

function contains(container: Value, item: Value): boolean {
  if (container instanceof Text) {
    if (item instanceof Text) return container.value.includes(item.value);
    throw templateError(`'in <string>' requires a string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Dict) return container.has(item);
  if (container instanceof Undefined) return false;
  return iterate(container).some(other => equal(other, item));
}

function sequenceOperator(operator: string, left: Value, right: Value): Value | undefined {
  if (operator === '+') {
    if (left instanceof Text && right instanceof Text) return checkSize(left.plus(right));
    if (
      left instanceof List &&
      right instanceof List &&
      left.kind === right.kind &&
      left.kind !== 'generator'
    ) {
      checkItems(left.items.length + right.items.length);
      return new List(left.items.concat(right.items), left.kind);
    }
  }
  if (operator === '*') {
    if (left instanceof Text && typeof right === 'number') return repeat(left, right);
    if (right instanceof Text && typeof left === 'number') return repeat(right, left);
    if (left instanceof List && typeof right === 'number') {
      checkItems(left.items.length * right);
      return new List(Array.from({ length: Math.max(0, right) }, () => left.items).flat(), left.kind);
    }
  }
  return operator === '%' && left instanceof Text ? percentFormat(left, right) : undefined;
}

/** A template must not be able to exhaust memory. */
function checkItems(count: number): void {
  if (count > 100_000) throw templateError('a list grew beyond 100,000 items');
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  const a = numberOf(left);
  const b = numberOf(right);
  if (a === undefined || b === undefined) {
    throw templateError(
      `unsupported operand types for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
    );
  }
  const wrap = (value: number) =>
    left instanceof Float || right instanceof Float ? new Float(value) : value;
  if ((operator === '/' || operator === '//' || operator === '%') && b === 0)
    throw templateError('division by zero');
  switch (operator) {
    case '+':
      return wrap(a + b);
    case '-':
      return wrap(a - b);
    case '*':
      return wrap(a * b);
    case '/':
      return new Float(a / b);
    case '//':
      return wrap(Math.floor(a / b));
    case '%':
      return wrap(a - b * Math.floor(a / b));
    case '**':
      return b < 0 ? new Float(a ** b) : wrap(a ** b);
    default:
      throw templateError(`unknown operator '${operator}'`);
  }
}

/** `"%s" % value`: %s, %r, %d and %%. */
export function percentFormat(format: Text, value: Value): Text {
  const values = value instanceof List && value.kind === 'tuple' ? value.items : [value];
  const parts: Text[] = [];
  let next = 0;
  let from = 0;
  for (const match of format.value.matchAll(/%(.?)/gs)) {
    parts.push(format.slice(from, match.index));
    from = match.index + match[0].length;
    const kind = match[1];
    if (kind === '%') {
      parts.push(Text.of('%'));
      continue;
    }
    const item = values[next++];
    if (item === undefined) throw templateError('not enough arguments for format string');
    if (kind === 's') parts.push(print(item));
    else if (kind === 'r') parts.push(repr(item));
    else if (kind === 'd' && numberOf(item) !== undefined)
      parts.push(Text.of(String(Math.trunc(numberOf(item) ?? 0))));
    else throw templateError(`format '%${kind}' of a ${typeName(item)} is not supported`);
  }
  if (next < values.length) throw templateError('not all arguments converted during string formatting');
  parts.push(format.slice(from));
  return Text.concat(parts);
}
