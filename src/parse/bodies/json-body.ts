import { readJson } from '../json/lenient-json.ts';
import { LiteralReader } from '../json/literal.ts';
import type { BodyCall, BodyContext, BodyFailure, ReadBody } from '../types/format.ts';

const NAME_KEYS = ['name', 'tool_name', 'function_name', 'tool', 'function'] as const;
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'tool_input', 'input'] as const;

/**
 * `{"name": ..., "arguments": {...}}`, an array of them, or several in a row. Arguments may be missing, or an object
 * as a JSON string, as OpenAI writes them; other spellings that families use are accepted too.
 */
export const jsonBody: ReadBody = (body, context) => {
  if (body.trim() === '') return { reason: 'the call is empty' };
  const values = readValues(body, context);
  if ('reason' in values) return values;
  const items = values.items.flatMap(item => (Array.isArray(item) ? item : [item]));
  if (items.length === 0) return { reason: 'the call is an empty list' };
  const calls: BodyCall[] = [];
  for (const item of items) {
    const call = readCall(item, context);
    if ('reason' in call) return call;
    calls.push(values.guessed ? { ...call, guessed: true } : call);
  }
  return calls;
};

function readValues(
  body: string,
  { repair }: BodyContext,
): { items: unknown[]; guessed: boolean } | BodyFailure {
  const whole = readJson(body, false);
  if (whole.ok) return { items: [whole.value], guessed: false };
  const several = /[}\]][\s;,]*[{[]/.test(body) ? readSeveral(body) : undefined;
  if (several) return { items: several, guessed: false };
  const repaired = repair ? readJson(body, true) : whole;
  if (repaired.ok) return { items: [repaired.value], guessed: repaired.guessed };
  return { reason: `the call is not valid JSON (${whole.reason})` };
}

/** Values in a row, separated by newlines, commas or semicolons. */
function readSeveral(body: string): unknown[] | undefined {
  const reader = new LiteralReader(body);
  const items: unknown[] = [];
  try {
    for (reader.skipSpace(); !reader.atEnd; reader.skipSpace()) {
      items.push(reader.value());
      if (!reader.take(';')) reader.take(',');
    }
  } catch {
    // Report the reason for the whole text.
    return undefined;
  }
  return items.every(isObject) ? items : undefined;
}

/** A call from a parsed value. */
export function readCall(item: unknown, { repair }: Pick<BodyContext, 'repair'>): BodyCall | BodyFailure {
  if (!isObject(item)) return { reason: 'the call is not a JSON object' };
  if (isObject(item.function)) return readCall(item.function, { repair });
  const name = NAME_KEYS.map(key => item[key]).find(
    value => typeof value === 'string' && value.trim() !== '',
  );
  if (typeof name !== 'string') return { reason: 'the call has no "name"' };
  const given =
    ARGUMENT_KEYS.map(key => item[key]).find(value => value !== undefined && value !== null) ?? {};
  const args = argumentsOf(given, repair);
  return 'reason' in args ? args : { name: name.trim(), ...args };
}

/** Arguments as an object, or as its JSON text. */
export function argumentsOf(
  given: unknown,
  repair: boolean,
): Pick<BodyCall, 'arguments' | 'guessed'> | BodyFailure {
  if (isObject(given)) return { arguments: given };
  if (typeof given !== 'string') return { reason: '"arguments" is not a JSON object' };
  if (given.trim() === '') return { arguments: {} };
  const read = readJson(given, repair);
  if (!read.ok) return { reason: `"arguments" is not a JSON object (${read.reason})` };
  if (typeof read.value === 'string') return argumentsOf(read.value, repair);
  if (!isObject(read.value)) return { reason: '"arguments" is not a JSON object' };
  return { arguments: read.value, ...(read.guessed && { guessed: true }) };
}

/** `[{"name of the tool": {arguments}}]`: the key is the name. */
export const keyedJsonBody: ReadBody = (body, context) => {
  const read = readJson(body, context.repair);
  if (!read.ok) return { reason: `the call is not valid JSON (${read.reason})` };
  const items: unknown[] = Array.isArray(read.value) ? read.value : [read.value];
  const calls: BodyCall[] = [];
  for (const item of items) {
    if (!isObject(item)) return { reason: 'the call is not a JSON object' };
    for (const [name, given] of Object.entries(item)) {
      const args = argumentsOf(given ?? {}, context.repair);
      if ('reason' in args) return args;
      calls.push({ name, ...args, ...(read.guessed && { guessed: true }) });
    }
  }
  return calls.length > 0 ? calls : { reason: 'the call is an empty list' };
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
