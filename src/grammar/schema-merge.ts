import { isPlainObject } from '../text/json/plain-object.ts';

export type Schema = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is Schema {
  return isPlainObject(value);
}

/** A schema that requires both, as far as a grammar can; of a keyword with a single value, the second's wins. */
export function mergeSchemas(a: Schema, b: Schema): Schema {
  const merged: Record<string, unknown> = { ...a, ...b };
  if (isSchema(a.properties) && isSchema(b.properties)) {
    merged.properties = mergeProperties(a.properties, b.properties);
  }
  const required = [a.required, b.required].flatMap(list => (Array.isArray(list) ? list : []));
  if (required.length > 0) merged.required = [...new Set(required)];
  if (a.type !== undefined && b.type !== undefined) merged.type = commonTypes(a.type, b.type);
  for (const union of ['anyOf', 'oneOf', 'allOf']) {
    if (!Array.isArray(a[union]) || !Array.isArray(b[union])) continue;
    // Both must hold; one of them stays where it is.
    merged[union] = a[union];
    merged.allOf = [...(Array.isArray(merged.allOf) ? merged.allOf : []), { [union]: b[union] }];
  }
  return merged;
}

function mergeProperties(a: Schema, b: Schema): Schema {
  const merged = new Map(Object.entries(a));
  for (const [key, value] of Object.entries(b)) {
    const other = merged.get(key);
    merged.set(key, isSchema(other) && isSchema(value) ? mergeSchemas(other, value) : value);
  }
  return Object.fromEntries(merged);
}

function commonTypes(a: unknown, b: unknown): unknown {
  const first = [a].flat();
  const second = [b].flat();
  const common = second.filter(
    type => first.includes(type) || (type === 'integer' && first.includes('number')),
  );
  return common.length > 0 ? common : b;
}
