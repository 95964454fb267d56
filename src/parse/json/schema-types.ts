import { resolvePointer } from './json-pointer.ts';

/** The JSON types a schema allows; empty if it does not say. `root` resolves `$ref`. */
export function typesOf(schema: unknown, root: unknown, depth = 0): Set<string> {
  const types = new Set<string>();
  const node = resolve(schema, root);
  if (node === undefined || depth > 8) return types;
  for (const type of Array.isArray(node.type) ? node.type : [node.type]) {
    if (typeof type === 'string') types.add(type);
  }
  for (const value of Array.isArray(node.enum) ? node.enum : 'const' in node ? [node.const] : []) {
    types.add(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  }
  // `allOf` mostly has one entry: at most the types that one of its entries allows.
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const choices = node[key];
    for (const choice of Array.isArray(choices) ? choices : []) {
      for (const type of typesOf(choice, root, depth + 1)) types.add(type);
    }
  }
  if (node.nullable === true) types.add('null');
  return types;
}

/** A schema with its local `$ref` resolved; undefined if it cannot be. */
export function resolve(schema: unknown, root: unknown, depth = 0): Record<string, unknown> | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  const node = schema as Record<string, unknown>;
  if (typeof node.$ref !== 'string' || !node.$ref.startsWith('#') || depth > 8) return node;
  return resolve(resolvePointer(root, node.$ref), root, depth + 1);
}
