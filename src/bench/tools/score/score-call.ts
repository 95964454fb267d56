import { isPlainObject } from '../../../text/json/plain-object.ts';
import type {
  ArgumentLanguage,
  ExpectedCall,
  MadeCall,
  ParameterType,
  ToolSignature,
} from '../cases/tool-case.ts';
import { Float, sameValue, typeOf, type ValueType } from '../cases/typed-values.ts';
import { javaValue } from './java-values.ts';
import { javascriptValue } from './javascript-values.ts';
import { matchesList, matchesObject, matchesObjects, matchesText, mayBeMissing } from './match-values.ts';

/** Why a call is wrong. */
export type CallFault =
  | 'wrong tool'
  | 'missing argument'
  | 'unexpected argument'
  | 'wrong type'
  | 'wrong value';

const JSON_TYPES: Readonly<Record<string, ValueType>> = {
  string: 'text',
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  array: 'list',
  tuple: 'list',
  dict: 'object',
  any: 'text',
};
const JAVA_TYPES: Readonly<Record<string, ValueType>> = {
  byte: 'integer',
  short: 'integer',
  integer: 'integer',
  long: 'integer',
  float: 'float',
  double: 'float',
  boolean: 'boolean',
  char: 'text',
  String: 'text',
  any: 'text',
  Array: 'list',
  ArrayList: 'list',
  Queue: 'list',
  Stack: 'list',
  HashMap: 'object',
  Hashtable: 'object',
};
const JAVASCRIPT_TYPES: Readonly<Record<string, ValueType>> = {
  String: 'text',
  any: 'text',
  integer: 'integer',
  Bigint: 'integer',
  float: 'float',
  Boolean: 'boolean',
  dict: 'object',
  array: 'list',
};
const TYPES = { json: JSON_TYPES, java: JAVA_TYPES, javascript: JAVASCRIPT_TYPES };
/** Types whose items are checked too. */
const WITH_ITEMS = { json: ['array', 'tuple'], java: ['Array', 'ArrayList'], javascript: ['array'] };

/** What is wrong with a call; undefined: nothing. By the rules of the Berkeley Function Calling Leaderboard. */
export function faultOf(
  call: MadeCall,
  expected: ExpectedCall,
  signature: ToolSignature,
  language: ArgumentLanguage,
): CallFault | undefined {
  if (call.name !== expected.name) return 'wrong tool';
  const given = call.arguments;
  if (signature.required.some(name => !Object.hasOwn(given, name))) return 'missing argument';
  for (const [name, value] of Object.entries(given)) {
    const parameter = signature.parameters.get(name);
    const accepted = Object.hasOwn(expected.arguments, name) ? expected.arguments[name] : undefined;
    if (!parameter || !accepted) return 'unexpected argument';
    const fault = argumentFault(value, accepted, parameter, language);
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
  language: ArgumentLanguage,
): CallFault | undefined {
  const wanted = TYPES[language][type];
  const items =
    itemType !== undefined && WITH_ITEMS[language].includes(type) ? TYPES[language][itemType] : undefined;
  // In Java and JavaScript every value is the text of a literal.
  if (language !== 'json' && typeof given !== 'string') return 'wrong type';
  const value = givenValue(given, { type, itemType }, language);
  if (wanted === undefined) return accepted.some(one => sameValue(value, one)) ? undefined : 'wrong value';
  const fitting = fitsType(value, accepted, wanted, items);
  if (fitting === 'no') return 'wrong type';
  return matches(value, accepted, fitting === 'name' ? undefined : wanted, items) ? undefined : 'wrong value';
}

function givenValue(given: unknown, { type, itemType }: ParameterType, language: ArgumentLanguage): unknown {
  if (language === 'java') return javaValue(given as string, type, itemType);
  if (language === 'javascript') return javascriptValue(given as string, type, itemType);
  return type === 'float' && typeOf(given) === 'integer' ? new Float(given as number) : given;
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

/** Of the first accepted value that is not a mark for "may be left out". */
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
