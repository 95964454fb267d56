import { isObject } from '../bodies/json-body.ts';
import { resolve, typesOf } from '../json/schema-types.ts';

const MAX_DEPTH = 4;

/** Example arguments: what the schema requires, with its default, first enum value, or something plain. */
export function exampleArguments(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const value = exampleValue(schema, schema, 0);
  return isObject(value) ? value : {};
}

function exampleValue(schema: unknown, root: unknown, depth: number): unknown {
  const node = resolve(schema, root);
  if (!node || depth > MAX_DEPTH) return 'value';
  if (node.default !== undefined) return node.default;
  if (node.const !== undefined) return node.const;
  if (Array.isArray(node.enum) && node.enum.length > 0) return node.enum[0];
  if (isObject(node.properties)) {
    const properties = node.properties;
    const required = Array.isArray(node.required) ? node.required : [];
    return Object.fromEntries(
      Object.keys(properties)
        .filter(key => required.includes(key))
        .map(key => [key, exampleValue(properties[key], root, depth + 1)]),
    );
  }
  const types = typesOf(node, root);
  if (types.has('string')) return 'text';
  if (types.has('integer') || types.has('number')) return typeof node.minimum === 'number' ? node.minimum : 1;
  if (types.has('boolean')) return true;
  if (types.has('array')) return [exampleValue(node.items, root, depth + 1)];
  return types.has('object') ? {} : 'value';
}
