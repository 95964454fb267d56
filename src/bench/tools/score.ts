import { isPlainObject } from '../../text/json/plain-object.ts';
import type { Expected, ExpectedCall, MadeCall, ParameterType, ToolSignature } from './tool-case.ts';
import { Float, sameValue, typeOf, type ValueType } from './typed-values.ts';

/** Why a call is wrong. */
type CallFault = 'wrong tool' | 'missing argument' | 'unexpected argument' | 'wrong type' | 'wrong value';

/** Why an answer is wrong. */
export type AnswerFault = CallFault | 'no call' | 'needless call' | 'wrong number of calls';

/** JSON Schema's types; a value of any other is compared as it stands. */
const TYPES: Readonly<Record<string, ValueType>> = {
  string: 'text',
  integer: 'integer',
  number: 'float',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
};
const NOTHING: ToolSignature = { parameters: new Map(), required: [] };

/**
 * Finds the fault in an answer's calls, in any order; undefined: there is none. The rules are those of the Berkeley
 * Function Calling Leaderboard.
 */
export function answerFault(calls: readonly MadeCall[], expected: Expected): AnswerFault | undefined {
  if (expected.kind === 'none') return calls.length > 0 ? 'needless call' : undefined;
  if (calls.length === 0) return 'no call';
  if (expected.kind === 'some') return undefined;
  if (calls.length !== expected.calls.length) return 'wrong number of calls';
  const left = [...calls];
  for (const wanted of expected.calls) {
    const signature = expected.signatures.get(wanted.name) ?? NOTHING;
    const faults = left.map(call => callFault(call, wanted, signature));
    const match = faults.indexOf(undefined);
    if (match < 0) {
      // The fault of a call of the same tool says most.
      const same = left.findIndex(call => call.name === wanted.name);
      return faults[Math.max(0, same)];
    }
    left.splice(match, 1);
  }
  return undefined;
}

function callFault(call: MadeCall, expected: ExpectedCall, signature: ToolSignature): CallFault | undefined {
  if (call.name !== expected.name) return 'wrong tool';
  const given = call.arguments;
  if (signature.required.some(name => !Object.hasOwn(given, name))) return 'missing argument';
  for (const [name, value] of Object.entries(given)) {
    const parameter = signature.parameters.get(name);
    const accepted = Object.hasOwn(expected.arguments, name) ? expected.arguments[name] : undefined;
    if (!parameter || !accepted) return 'unexpected argument';
    const fault = argumentFault(value, accepted, parameter);
    if (fault) return fault;
  }
  const missing = Object.entries(expected.arguments).some(
    ([name, accepted]) => !Object.hasOwn(given, name) && !mayBeMissing(accepted),
  );
  return missing ? 'missing argument' : undefined;
}

function argumentFault(
  given: unknown,
  accepted: readonly unknown[],
  { type, itemType }: ParameterType,
): CallFault | undefined {
  const wanted = TYPES[type];
  const items = type === 'array' && itemType !== undefined ? TYPES[itemType] : undefined;
  const value = type === 'number' && typeOf(given) === 'integer' ? new Float(given as number) : given;
  if (wanted === undefined) return accepted.some(one => sameValue(value, one)) ? undefined : 'wrong value';
  const fitting = fitsType(value, accepted, wanted, items);
  if (fitting === 'no') return 'wrong type';
  return matches(value, accepted, fitting === 'name' ? undefined : wanted, items) ? undefined : 'wrong value';
}

/**
 * Whether a value has the wanted type, or, where the accepted values have another one, theirs: then it is the `name` of a
 * variable of the question, which is compared as it stands.
 */
function fitsType(
  value: unknown,
  accepted: readonly unknown[],
  wanted: ValueType,
  items: ValueType | undefined,
): 'yes' | 'name' | 'no' {
  const actual = typeOfFirst(accepted);
  const isName = actual !== undefined && actual !== wanted;
  if (typeOf(value) === wanted) {
    const itemsFit = (one: unknown) =>
      !Array.isArray(one) ||
      (value as readonly unknown[]).every(
        item => fitsType(item, one, items as ValueType, undefined) !== 'no',
      );
    if (items === undefined || accepted.some(itemsFit)) return isName ? 'name' : 'yes';
    return 'no';
  }
  return actual !== undefined && typeOf(value) === actual ? 'name' : 'no';
}

/** The type of the first accepted value that is not the mark for "may be left out". */
function typeOfFirst(accepted: readonly unknown[]): ValueType | undefined {
  const first = accepted.find(one => one !== '');
  return first === undefined ? undefined : typeOf(first);
}

/** @param wanted undefined: the value is compared as it stands */
function matches(
  value: unknown,
  accepted: readonly unknown[],
  wanted: ValueType | undefined,
  items: ValueType | undefined,
): boolean {
  if (wanted === 'object') return isPlainObject(value) && matchesObject(value, accepted);
  if (wanted === 'list' && items === 'object') return matchesObjects(value as unknown[], accepted);
  if (wanted === 'list') return matchesList(value as unknown[], accepted);
  if (wanted === 'text') return matchesText(value as string, accepted);
  return accepted.some(one => sameValue(value, one));
}

/** Texts count as equal without spaces, case and this punctuation: `April 1, 2024` and `april 1 2024`. */
function plainText(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
}

const plain = (value: unknown) => (typeof value === 'string' ? plainText(value) : value);

const isAmong = (value: unknown, accepted: readonly unknown[]) => accepted.some(one => sameValue(value, one));

function matchesText(value: string, accepted: readonly unknown[]): boolean {
  return isAmong(plainText(value), accepted.filter(one => typeof one === 'string').map(plain));
}

/** `''` accepts an empty list. */
function matchesList(value: readonly unknown[], accepted: readonly unknown[]): boolean {
  const items = value.map(plain);
  return accepted.some(one => sameValue(items, itemsOf(one).map(plain)));
}

/** An accepted object has for each key its accepted values; `''` among them: the key may be missing. */
function matchesObject(value: Readonly<Record<string, unknown>>, accepted: readonly unknown[]): boolean {
  return accepted.some(one => isPlainObject(one) && fitsObject(value, one));
}

function fitsObject(
  value: Readonly<Record<string, unknown>>,
  accepted: Readonly<Record<string, unknown>>,
): boolean {
  const known = Object.entries(value).every(
    ([key, given]) =>
      Object.hasOwn(accepted, key) && isAmong(plain(given), itemsOf(accepted[key]).map(plain)),
  );
  return (
    known && Object.keys(accepted).every(key => Object.hasOwn(value, key) || mayBeMissing(accepted[key]))
  );
}

/** Compares lists of objects, in the order of the accepted one. */
function matchesObjects(value: readonly unknown[], accepted: readonly unknown[]): boolean {
  return accepted.some(one => {
    const objects = itemsOf(one);
    if (objects.length !== value.length) return false;
    return value.every((item, index) => isPlainObject(item) && matchesObject(item, [objects[index]]));
  });
}

function mayBeMissing(accepted: unknown): boolean {
  return accepted === '' || (Array.isArray(accepted) && accepted.includes(''));
}

/** The items of a list; a text's items are its characters. */
function itemsOf(value: unknown): unknown[] {
  if (typeof value === 'string') return [...value];
  return Array.isArray(value) ? value : [];
}
