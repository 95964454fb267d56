import { Text } from './text.ts';
import { BigInteger, Dict, Float, List, templateError, Undefined, type Value } from './values.ts';

/**
 * A plain JavaScript value as the template sees it. `foreign` marks every string in it as content; a Text has marks of
 * its own.
 * Integers and bigints become Python ints, other numbers floats; JSON's `1.0` has become the integer 1 before it gets here.
 */
export function fromJs(value: unknown, foreign: boolean, depth = 0): Value {
  if (depth > 200) throw templateError('the data handed to it is nested more than 200 levels deep');
  if (value === null) return null;
  if (value === undefined) return new Undefined('an undefined value');
  if (typeof value === 'string') return Text.of(value, foreign);
  if (value instanceof Text) return value;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : new Float(value);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : new BigInteger(value);
  }
  if (Array.isArray(value)) return new List(value.map(item => fromJs(item, foreign, depth + 1)));
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Dict.of(
      entries.map(([key, item]) => [Text.of(key, foreign), fromJs(item, foreign, depth + 1)] as const),
    );
  }
  throw templateError(`it cannot be given a ${typeof value}`);
}
