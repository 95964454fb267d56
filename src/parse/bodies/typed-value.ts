import { readJson } from '../json/lenient-json.ts';
import { typesOf } from '../json/schema-types.ts';
import type { BodyContext } from '../types/format.ts';

/** As JSON has them: `02134` and `+49` are none. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * An unquoted value, typed by the argument's schema: a string if the schema allows one and nothing narrower fits, or if a
 * number would be written otherwise (`3.10`); without a schema, JSON other than a string, else the text.
 */
export function typedValue(raw: string, tool: string, key: string, context: BodyContext): unknown {
  const parameters = context.parametersOf(tool);
  const properties = parameters?.properties;
  const schema =
    typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key)
      ? (properties as Record<string, unknown>)[key]
      : undefined;
  const types = schema === undefined ? undefined : typesOf(schema, parameters);
  if (types?.size === 1 && types.has('string')) return raw;
  const read = readJson(raw, false);
  if (!read.ok || read.guessed) return raw;
  const { value } = read;
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber && !types?.size && !JSON_NUMBER.test(raw.trim())) return raw;
  if (isNumber && types?.has('string') && String(value) !== raw.trim()) return raw;
  if (!types || types.size === 0) return typeof value === 'string' ? raw : value;
  const type = jsonType(value);
  if (types.has(type) || (type === 'integer' && types.has('number'))) {
    return type === 'string' ? raw : value;
  }
  return types.has('string') ? raw : value;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
