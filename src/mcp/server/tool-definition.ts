import { quoted } from '../../text/clean/visible.ts';
import { definitionSizeFault } from '../../text/json/definition-size.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { isCleanName, TEXT_LIMITS } from './incoming-text.ts';

/** Strings below these have to be repeated exactly by a call, so they cannot be cleaned. */
const EXACT = new Set(['enum', 'const']);

/** Why a tool, as its server lists it, cannot be offered; undefined if it can. */
export function definitionFault(tool: unknown): string | undefined {
  if (!isPlainObject(tool)) return 'its definition is not an object';
  const { name, inputSchema } = tool;
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (!isCleanName(name)) return `its name is longer than ${TEXT_LIMITS.name} characters or has hidden ones`;
  const size = definitionSizeFault(tool);
  if (size !== undefined) return `its definition ${size}`;
  return hiddenFault(tool, false) ?? schemaFault(inputSchema);
}

/** The name of a tool for a message, whatever its definition is. */
export function toolLabel(tool: unknown): string {
  return isPlainObject(tool) && typeof tool.name === 'string' && tool.name !== ''
    ? `'${quoted(tool.name).slice(1, -1)}'`
    : 'one without a name';
}

/** Text that people do not see, where it cannot be cleaned. The definition is within the limits of size. */
function hiddenFault(value: unknown, exact: boolean): string | undefined {
  if (typeof value === 'string') {
    return exact && !isCleanName(value, Number.POSITIVE_INFINITY)
      ? `a value of its schema, ${quoted(value)}, has hidden characters`
      : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    if (!isList && !isCleanName(key, Number.POSITIVE_INFINITY))
      return `a key of its definition, ${quoted(key)}, has hidden characters`;
    const fault = hiddenFault(item, EXACT.has(key) || (isList && exact));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What templates, grammars and validators rely on. */
function schemaFault(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  if (!isPlainObject(schema)) return 'its inputSchema is not an object';
  const { type, properties, required } = schema;
  if (!isMissing(type) && ![type].flat().includes('object'))
    return `its inputSchema is of type ${quoted(type)}, not object`;
  // PHP writes an empty object as a list.
  if (!isMissing(properties) && !isPlainObject(properties) && !isEmptyList(properties)) {
    return 'the properties of its inputSchema are not an object';
  }
  const bad = Object.entries(properties ?? {}).find(
    ([, value]) => !isPlainObject(value) && typeof value !== 'boolean',
  );
  if (bad !== undefined) return `the property ${quoted(bad[0])} of its inputSchema is not a schema`;
  if (!isMissing(required) && !(Array.isArray(required) && required.every(key => typeof key === 'string'))) {
    return "'required' of its inputSchema is not a list of names";
  }
  return undefined;
}

/** Servers written in Go send null for what they leave out. */
function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
