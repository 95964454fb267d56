import { isPlainObject } from '../../text/plain-object.ts';
import { quoted } from '../../text/visible.ts';
import { isCleanName, TEXT_LIMITS } from './incoming-text.ts';

/** A larger definition costs every prompt more than it can give back. */
const MAX_BYTES = 32 * 1024;
const MAX_LEVELS = 64;
/** Strings below these have to be repeated exactly by a call, so they cannot be cleaned. */
const EXACT = new Set(['enum', 'const']);

/** Why a tool, as its server lists it, cannot be offered; undefined if it can. */
export function definitionFault(tool: unknown): string | undefined {
  if (!isPlainObject(tool)) return 'its definition is not an object';
  const { name, inputSchema } = tool;
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (!isCleanName(name)) return `its name is longer than ${TEXT_LIMITS.name} characters or has hidden ones`;
  return sizeFault(tool) ?? schemaFault(inputSchema);
}

/** The name of a tool for a message, whatever its definition is. */
export function toolLabel(tool: unknown): string {
  return isPlainObject(tool) && typeof tool.name === 'string' && tool.name !== ''
    ? `'${quoted(tool.name).slice(1, -1)}'`
    : 'one without a name';
}

/** Walks with a stack of its own: the definition may be nested deeper than calls can be. */
function sizeFault(tool: object): string | undefined {
  const rest: { value: unknown; level: number; exact: boolean }[] = [{ value: tool, level: 1, exact: false }];
  let bytes = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value, level, exact } = next;
    if (typeof value === 'object' && value !== null) {
      if (level > MAX_LEVELS) return `its definition is nested deeper than ${MAX_LEVELS} levels`;
      const isList = Array.isArray(value);
      for (const key of Object.keys(value)) {
        if (!isList) bytes += sizeOf(key) + 1;
        if (!isList && !isCleanName(key, MAX_BYTES))
          return `a key of its definition, ${quoted(key)}, has hidden characters`;
        bytes += 1;
        if (bytes > MAX_BYTES) return tooLarge();
        const item = (value as Record<string, unknown>)[key];
        rest.push({ value: item, level: level + 1, exact: EXACT.has(key) || (isList && exact) });
      }
      bytes += 2;
    } else if (typeof value === 'string') {
      bytes += sizeOf(value);
      if (bytes > MAX_BYTES) return tooLarge();
      if (exact && !isCleanName(value, MAX_BYTES))
        return `a value of its schema, ${quoted(value)}, has hidden characters`;
    } else bytes += String(value).length;
  }
  return bytes > MAX_BYTES ? tooLarge() : undefined;
}

function sizeOf(text: string): number {
  return text.length > MAX_BYTES ? text.length : Buffer.byteLength(JSON.stringify(text));
}

function tooLarge(): string {
  return `its definition is larger than ${MAX_BYTES / 1024} KB`;
}

/** What templates, grammars and validators rely on. */
function schemaFault(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  if (!isPlainObject(schema)) return 'its inputSchema is not an object';
  const { type, properties, required } = schema;
  if (type !== undefined && ![type].flat().includes('object'))
    return `its inputSchema is of type ${quoted(type)}, not object`;
  // PHP writes an empty object as a list.
  if (properties !== undefined && !isPlainObject(properties) && !isEmptyList(properties)) {
    return 'the properties of its inputSchema are not an object';
  }
  const bad = Object.entries(properties ?? {}).find(
    ([, value]) => !isPlainObject(value) && typeof value !== 'boolean',
  );
  if (bad !== undefined) return `the property ${quoted(bad[0])} of its inputSchema is not a schema`;
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every(key => typeof key === 'string'))
  ) {
    return "'required' of its inputSchema is not a list of names";
  }
  return undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
