import { isObject } from '../bodies/json-body.ts';
import { readJson } from '../json/lenient-json.ts';
import { resolve, typesOf } from '../json/schema-types.ts';

const INTEGER = /^\s*[-+]?\d{1,15}(?:\.0+)?\s*$/;
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;
const MAX_DEPTH = 32;

export interface Coerced {
  readonly value: unknown;
  /** Paths whose value or name was changed. */
  readonly changed: readonly string[];
}

/**
 * Fits arguments to `schema` where there is only one way to: strings that are numbers, booleans, null or JSON;
 * numbers where a string is wanted; a single item for a list; another case of an enum value or a property name; null
 * for optional properties. Values that already fit stay untouched.
 * @param written the text of a number that becomes a string
 */
export function coerce(
  value: unknown,
  schema: unknown,
  written: (value: number) => string = String,
): Coerced {
  const changed: string[] = [];
  return { value: new Coercion(schema, changed, written).value(value, schema, '$', 0), changed };
}

class Coercion {
  readonly #root: unknown;
  readonly #changed: string[];
  readonly #written: (value: number) => string;

  constructor(root: unknown, changed: string[], written: (value: number) => string) {
    this.#root = root;
    this.#changed = changed;
    this.#written = written;
  }

  value(value: unknown, schema: unknown, path: string, depth: number): unknown {
    const node = resolve(schema, this.#root);
    if (!node || depth > MAX_DEPTH) return plain(value);
    const types = typesOf(node, this.#root);
    const typed = fits(value, types) ? value : this.#retype(value, types, path);
    const spelled = this.#spellEnum(typed, node, path);
    if (Array.isArray(spelled)) {
      return spelled.map((item, index) => this.value(item, node.items, `${path}[${index}]`, depth + 1));
    }
    if (isObject(spelled)) return this.#object(spelled, this.#branch(node, spelled), path, depth);
    return plain(spelled, types);
  }

  /** The only branch of a union that knows all keys of an object; else the schema itself. */
  #branch(node: Record<string, unknown>, value: Record<string, unknown>): Record<string, unknown> {
    if (isObject(node.properties)) return node;
    const choices = [node.anyOf, node.oneOf].flatMap(list => (Array.isArray(list) ? list : []));
    const fitting = choices
      .map(choice => resolve(choice, this.#root))
      .filter(choice => isObject(choice?.properties))
      .filter(choice => Object.keys(value).every(key => Object.hasOwn(choice?.properties as object, key)));
    return (fitting.length === 1 && fitting[0]) || node;
  }

  #object(
    value: Record<string, unknown>,
    node: Record<string, unknown>,
    path: string,
    depth: number,
  ): Record<string, unknown> {
    const properties = isObject(node.properties) ? node.properties : {};
    const required = Array.isArray(node.required) ? node.required : [];
    const entries: [string, unknown][] = [];
    for (const [given, item] of Object.entries(value)) {
      const key = this.#spellKey(given, value, properties, path);
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const types = typesOf(schema, this.#root);
      if (item === null && types.size > 0 && !types.has('null') && !required.includes(key)) {
        this.#changed.push(`${path}.${key}`);
        continue;
      }
      entries.push([key, this.value(item, schema ?? additional(node), `${path}.${key}`, depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #spellKey(key: string, value: object, properties: Record<string, unknown>, path: string): string {
    if (Object.hasOwn(properties, key)) return key;
    const same = Object.keys(properties).filter(name => plainKey(name) === plainKey(key));
    const [name] = same;
    if (name === undefined || same.length > 1 || Object.hasOwn(value, name)) return key;
    this.#changed.push(`${path}.${name}`);
    return name;
  }

  #spellEnum(value: unknown, node: Record<string, unknown>, path: string): unknown {
    if (typeof value !== 'string' || !Array.isArray(node.enum) || node.enum.includes(value)) return value;
    const same = node.enum.filter(item => typeof item === 'string' && plainKey(item) === plainKey(value));
    if (same.length !== 1) return value;
    this.#changed.push(path);
    return same[0];
  }

  #retype(value: unknown, types: ReadonlySet<string>, path: string): unknown {
    const result = retyped(value, types, this.#written);
    if (result === undefined) return value;
    this.#changed.push(path);
    return result.value;
  }
}

function retyped(
  value: unknown,
  types: ReadonlySet<string>,
  written: (value: number) => string,
): { value: unknown } | undefined {
  if (typeof value === 'string') {
    const found = fromText(value, types);
    if (found) return found;
  } else if (types.has('string') && typeof value === 'number') {
    return { value: written(value) };
  } else if (types.has('string') && (typeof value === 'bigint' || typeof value === 'boolean')) {
    return { value: String(value) };
  }
  if (types.has('array') && !Array.isArray(value) && value !== null) return { value: [value] };
  return undefined;
}

function fromText(text: string, types: ReadonlySet<string>): { value: unknown } | undefined {
  if (types.has('integer') && INTEGER.test(text)) return { value: Number(text) };
  if (types.has('number') && NUMBER.test(text)) return { value: Number(text) };
  const word = text.trim().toLowerCase();
  if (types.has('boolean') && (word === 'true' || word === 'false')) return { value: word === 'true' };
  if (types.has('null') && (word === 'null' || word === 'none' || word === '')) return { value: null };
  if (/^\s*[[{]/.test(text)) {
    const read = readJson(text, false);
    if (read.ok && fits(read.value, types)) return { value: read.value };
  }
  return undefined;
}

function fits(value: unknown, types: ReadonlySet<string>): boolean {
  if (types.size === 0) return true;
  if (value === null) return types.has('null');
  if (Array.isArray(value)) return types.has('array');
  if (typeof value === 'bigint') return types.has('integer') || types.has('number');
  if (typeof value === 'number')
    return types.has('number') || (types.has('integer') && Number.isInteger(value));
  return types.has(typeof value);
}

/** JSON has no bigint: a number if it loses no digits, else the digits as a string. */
function plain(value: unknown, types?: ReadonlySet<string>): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (!Number.isFinite(number)) return String(value);
    const loses = BigInt(number) !== value;
    return loses && !(types?.has('number') ?? false) ? String(value) : number;
  }
  if (Array.isArray(value)) return value.map(item => plain(item));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return value;
}

function additional(node: Record<string, unknown>): unknown {
  return isObject(node.additionalProperties) ? node.additionalProperties : undefined;
}

function plainKey(key: string): string {
  return key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
