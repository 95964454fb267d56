import { resolvePointer } from '../parse/json/json-pointer.ts';
import { isCircular } from './circular-schema.ts';
import { MAX_ITEMS, SAYS_NOTHING } from './json-grammar.ts';
import { isSchema, type Schema } from './schema-merge.ts';

/** Keywords that the grammar enforces, each under the conditions in `isCovered`. */
const COVERED = new Set(
  'type enum const nullable anyOf $ref properties required additionalProperties items minItems maxItems'.split(
    ' ',
  ),
);
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
      coversValues(schema, keys) &&
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
    return isSchema(target) && !isCircular(root, target) && covers(target);
  }

  /** Where values are listed the grammar looks at nothing else. */
  function coversValues({ type, nullable, ...schema }: Schema, keys: readonly string[]): boolean {
    const listed = ['enum', 'const'].filter(key => keys.includes(key));
    if (listed.length === 0) return true;
    const others = keys.filter(key => !['type', 'nullable', ...listed].includes(key));
    if (listed.length > 1 || others.length > 0) return false;
    const values = listed[0] === 'const' ? [schema.const] : schema.enum;
    const types = [type ?? [], nullable === true ? 'null' : []].flat();
    const fits = (value: unknown) => type === undefined || types.some(one => isOfType(value, one));
    return Array.isArray(values) && values.length > 0 && values.every(fits);
  }

  function coversObject({ properties, required, additionalProperties }: Schema): boolean {
    const named = isSchema(properties) ? properties : {};
    const needed = Array.isArray(required) ? required : [];
    const open = additionalProperties !== undefined && additionalProperties !== false;
    // Among others a named one may be written too, with any value that others may have.
    if (open && Object.keys(named).length > 0) return false;
    return (
      needed.every(key => Object.hasOwn(named, key as string)) &&
      Object.values(named).every(covers) &&
      (additionalProperties === false || covers(additionalProperties))
    );
  }

  function coversList({ type, items, minItems, maxItems }: Schema): boolean {
    // Bounds alone make no list for the grammar.
    if ((minItems ?? maxItems) !== undefined && type === undefined && items === undefined) return false;
    const [least, most] = [minItems ?? 0, maxItems ?? MAX_ITEMS] as [number, number];
    return covers(items) && least <= most && most <= MAX_ITEMS;
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isSchema(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
