import { resolvePointer } from '../parse/json/json-pointer.ts';
import { MAX_ITEMS, SAYS_NOTHING } from './json-grammar.ts';
import { isSchema, type Schema } from './schema-merge.ts';

/** Keywords that the grammar enforces, each under the conditions in `isCovered`. */
const COVERED = new Set([
  ...['type', 'enum', 'const', 'nullable', 'anyOf', '$ref'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
]);
/** Never checked. */
const UNCHECKED = new Set([...SAYS_NOTHING, 'format']);

/** Whether the grammar of a schema enforces all of it, so nothing has to be checked afterwards. False if in doubt. */
export function isCovered(root: unknown): boolean {
  const seen = new Set<string>();
  return covers(root);

  function covers(schema: unknown): boolean {
    if (!isSchema(schema)) return schema !== false;
    const keys = Object.keys(schema).filter(key => !UNCHECKED.has(key));
    return (
      keys.every(key => COVERED.has(key)) &&
      refersToCovered(schema, keys) &&
      (schema.anyOf === undefined ||
        (keys.length === 1 && Array.isArray(schema.anyOf) && schema.anyOf.every(covers))) &&
      coversObject(schema) &&
      coversList(schema)
    );
  }

  function refersToCovered({ $ref }: Schema, keys: readonly string[]): boolean {
    if (typeof $ref !== 'string') return $ref === undefined;
    if (keys.length > 1) return false;
    if (seen.has($ref)) return true;
    seen.add($ref);
    const target = resolvePointer(root, $ref);
    return isSchema(target) && covers(target);
  }

  function coversObject({ properties, required, additionalProperties }: Schema): boolean {
    const named = isSchema(properties) ? properties : {};
    const needed = Array.isArray(required) ? required : [];
    return (
      needed.every(key => Object.hasOwn(named, key as string)) &&
      Object.values(named).every(covers) &&
      (additionalProperties === false || covers(additionalProperties))
    );
  }

  function coversList({ items, minItems = 0, maxItems = MAX_ITEMS }: Schema): boolean {
    return covers(items) && (minItems as number) <= MAX_ITEMS && (maxItems as number) <= MAX_ITEMS;
  }
}
