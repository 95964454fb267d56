import { binary } from './operators.ts';
import { Text } from './text.ts';
import {
  BigInteger,
  Callable,
  Dict,
  equal,
  Float,
  List,
  numberOf,
  templateError,
  Undefined,
  type Value,
} from './values.ts';

type Test = (value: Value, ...args: Value[]) => boolean;

const ordered =
  (operator: string): Test =>
  (value, other = null) =>
    binary(operator, value, other) === true;

/** Jinja's built-in tests. */
const TESTS: Readonly<Record<string, Test>> = {
  defined: value => !(value instanceof Undefined),
  undefined: value => value instanceof Undefined,
  none: value => value === null,
  boolean: value => typeof value === 'boolean',
  true: value => value === true,
  false: value => value === false,
  integer: value => typeof value === 'number' || value instanceof BigInteger,
  float: value => value instanceof Float && !(value instanceof BigInteger),
  number: value => numberOf(value) !== undefined,
  string: value => value instanceof Text,
  mapping: value => value instanceof Dict,
  sequence: value =>
    value instanceof Text ||
    value instanceof Dict ||
    value instanceof Undefined ||
    (value instanceof List && value.kind !== 'generator'),
  iterable: value =>
    value instanceof Text || value instanceof Dict || value instanceof List || value instanceof Undefined,
  callable: value => value instanceof Callable,
  odd: value => (numberOf(value) ?? Number.NaN) % 2 !== 0,
  even: value => (numberOf(value) ?? Number.NaN) % 2 === 0,
  divisibleby: (value, other = null) => (numberOf(value) ?? Number.NaN) % (numberOf(other) ?? 0) === 0,
  lower: value =>
    value instanceof Text && /\p{L}/u.test(value.value) && value.value === value.value.toLowerCase(),
  upper: value =>
    value instanceof Text && /\p{L}/u.test(value.value) && value.value === value.value.toUpperCase(),
  in: ordered('in'),
  sameas: (value, other = null) => value === other,
  eq: (value, other = null) => equal(value, other),
  equalto: (value, other = null) => equal(value, other),
  '==': (value, other = null) => equal(value, other),
  ne: (value, other = null) => !equal(value, other),
  '!=': (value, other = null) => !equal(value, other),
  lt: ordered('<'),
  lessthan: ordered('<'),
  '<': ordered('<'),
  le: ordered('<='),
  '<=': ordered('<='),
  gt: ordered('>'),
  greaterthan: ordered('>'),
  '>': ordered('>'),
  ge: ordered('>='),
  '>=': ordered('>='),
};

export function applyTest(name: string, value: Value, args: readonly Value[] = []): boolean {
  const test = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined;
  if (!test) throw templateError(`no test named '${name}'`);
  return test(value, ...args);
}
