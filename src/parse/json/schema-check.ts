import { Ajv2020, type ErrorObject, MissingRefError, type ValidateFunction } from 'ajv/dist/2020.js';
import { TimeLimitError, withinWork } from '../../text/time-limit.ts';

/** A problem in a call's arguments. */
export interface SchemaProblem {
  /** `$.a.b[0]` */
  readonly path: string;
  readonly keyword: string;
  readonly expected: string;
  /** As JSON, shortened; undefined if something is missing. */
  readonly got: string | undefined;
}

/** A schema that cannot be compiled is left to the server that declared it. */
const UNCHECKED = Symbol('unchecked');
/** A check timed out, or its pattern broke the regular expression engine; it is not tried again. */
const UNCHECKABLE = Symbol('uncheckable');
type Validator = ValidateFunction | typeof UNCHECKED | typeof UNCHECKABLE;

const validators = new WeakMap<object, Validator>();
let dialect: ValidateFunction | undefined;
const MAX_PROBLEMS = 8;
/** CPU time. Schemas come from servers and requests, and one `pattern` can backtrack for hours. */
const COMPILE_LIMIT_MS = 1000;
/** CPU time; a check takes microseconds. */
const CHECK_LIMIT_MS = 1000;

/** The only problem of a value that could not be checked. */
const NOT_CHECKED: SchemaProblem = {
  path: '$',
  keyword: 'notChecked',
  expected: `a schema that can be checked within ${CHECK_LIMIT_MS / 1000} s`,
  got: undefined,
};

/**
 * The faults that `schema` (JSON Schema 2020-12) finds in `value`; empty if it fits or the schema cannot be compiled.
 */
export function checkSchema(schema: object, value: unknown): SchemaProblem[] {
  const validate = validatorOf(schema);
  if (validate === UNCHECKED) return [];
  if (validate === UNCHECKABLE) return [NOT_CHECKED];
  try {
    if (withinWork(CHECK_LIMIT_MS, () => validate(value))) return [];
  } catch {
    // Out of time, out of stack, or a pattern that only fails once it is used.
    validators.set(schema, UNCHECKABLE);
    return [NOT_CHECKED];
  }
  const errors = validate.errors ?? [];
  // The branches of a union tell more than that none fits, but only one message can be acted on.
  const own = errors.filter(error => !/\/(?:anyOf|oneOf)\/\d/.test(error.schemaPath));
  return (own.length > 0 ? own : errors).slice(0, MAX_PROBLEMS).map(error => describe(error, value));
}

/** Whether `checkSchema` gave up instead of finding a problem. */
export function isNotChecked(problems: readonly SchemaProblem[]): boolean {
  return problems.includes(NOT_CHECKED);
}

/** Whether `schema` can be checked at all. */
export function isUsableSchema(schema: object): boolean {
  return typeof validatorOf(schema) === 'function';
}

/** Why `schema` is not a valid schema, such as a type that does not exist; undefined if no fault is found. */
export function schemaFault(schema: object): string | undefined {
  if (validatorOf(schema) !== UNCHECKED) return undefined;
  const plain = plainSchema(schema);
  try {
    const isSchema = dialectValidator();
    return withinWork(COMPILE_LIMIT_MS, () => {
      if (!isSchema(plain)) {
        const [{ instancePath = '', message = 'is none' } = {}] = isSchema.errors ?? [];
        return `${instancePath} ${message}`.trim();
      }
      compileValid(plain, false);
      return undefined;
    });
  } catch (error) {
    // The rest is the compiler's own, such as `nullable` without a type, which OpenAPI has.
    return error instanceof MissingRefError ? error.message : undefined;
  }
}

function validatorOf(schema: object): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const validator = compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** The dialect and id of a server's schema mean nothing here, and two tools may share an id. */
function plainSchema(schema: object): object {
  const { $schema: _dialect, $id: _id, $async: _async, ...plain } = schema as Record<string, unknown>;
  return plain;
}

function compile(schema: object): Validator {
  const plain = plainSchema(schema);
  try {
    const isSchema = dialectValidator();
    return withinWork(COMPILE_LIMIT_MS, () => (isSchema(plain) ? compileValid(plain, false) : UNCHECKED));
  } catch (error) {
    return error instanceof TimeLimitError ? UNCHECKABLE : UNCHECKED;
  }
}

/** Tells whether a schema is one. Made once, since it takes 6 ms, and not within a limit, since it is kept. */
function dialectValidator(): ValidateFunction {
  dialect ??= new Ajv2020({ validateFormats: false, logger: false }).getSchema(
    'https://json-schema.org/draft/2020-12/schema',
  );
  if (dialect === undefined) throw new Error('ajv has no schema of its own dialect');
  return dialect;
}

/** A compiler of its own for each, since the ids in two schemas may be the same. */
function compileValid(schema: object, meta: boolean): ValidateFunction {
  try {
    return new Ajv2020({
      strict: false,
      allErrors: true,
      validateFormats: false,
      logger: false,
      addUsedSchema: false,
      validateSchema: false,
      meta,
      // Else every object has a `constructor`, of the wrong type.
      ownProperties: true,
    }).compile(schema);
  } catch (error) {
    // Only a schema about schemas needs those of the dialect, which take 6 ms to read.
    if (!meta && error instanceof MissingRefError) return compileValid(schema, true);
    throw error;
  }
}

function describe(error: ErrorObject, root: unknown): SchemaProblem {
  const parts = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params = error.params as Record<string, unknown>;
  const missing = error.keyword === 'required' ? String(params.missingProperty) : undefined;
  const extra = error.keyword === 'additionalProperties' ? String(params.additionalProperty) : undefined;
  const key = missing ?? extra;
  const value = valueAt(root, extra === undefined ? parts : [...parts, extra]);
  return {
    path: pathText(key === undefined ? parts : [...parts, key]),
    keyword: error.keyword,
    expected: expectation(error, params),
    got: missing === undefined ? shorten(value) : undefined,
  };
}

function expectation(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case 'required':
      return 'a value, it is required';
    case 'additionalProperties':
      return 'no argument of this name';
    case 'type':
      return [params.type].flat().join(' or ');
    case 'enum':
      return `one of ${JSON.stringify(params.allowedValues)}`;
    default:
      return (error.message ?? 'something else').replace(/^must /, 'to ');
  }
}

function shorten(value: unknown): string {
  const text =
    JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ??
    'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function pathText(parts: readonly string[]): string {
  return `$${parts.map(part => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function valueAt(root: unknown, parts: readonly string[]): unknown {
  return parts.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined,
    root,
  );
}
