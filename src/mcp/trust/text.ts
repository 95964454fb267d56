import { isPlainObject } from '../../text/plain-object.ts';
import { stripControls } from '../../text/strip-controls.ts';
import { stripInvisible } from '../../text/strip-invisible.ts';

const MAX_DESCRIPTION_CHARS = 8000;
const MAX_DEPTH = 32;
/** Schema keywords that only people and models read, not validators. */
const PROSE = new Set(['description', 'title', '$comment']);
/** Below these keywords, `description` and `title` are values or property names. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** A server's text without terminal sequences and invisible characters. */
export function cleanText(text: string): string {
  return stripInvisible(stripControls(text));
}

/** A tool's or server's description for the model: cleaned, and cut at 8,000 characters. */
export function cleanDescription(text: string): string {
  const clean = cleanText(text.slice(0, 2 * MAX_DESCRIPTION_CHARS));
  return clean.length <= MAX_DESCRIPTION_CHARS ? clean : `${clean.slice(0, MAX_DESCRIPTION_CHARS)} ...`;
}

/** A schema with cleaned descriptions. Values and names stay as they are, since calls must repeat them exactly. */
export function cleanSchema(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return cleanValue(schema, 0) as Record<string, unknown>;
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Nothing deeper is of use to a model, and recursion must end.
  if (depth > MAX_DEPTH) return Array.isArray(value) ? [] : {};
  if (Array.isArray(value)) return value.map(item => cleanValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (PROSE.has(key) && typeof item === 'string') return [key, cleanDescription(item)];
      if (VALUES.has(key)) return [key, item];
      if (NAMED.has(key) && isPlainObject(item)) return [key, cleanNamed(item, depth + 1)];
      return [key, cleanValue(item, depth + 1)];
    }),
  );
}

/** Property names are not keywords, even if they are `description` or `enum`. */
function cleanNamed(schemas: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, cleanValue(schema, depth + 1)]),
  );
}
