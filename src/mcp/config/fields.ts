import { quoted } from '../../text/clean/visible.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { type Field, KEYS } from './keys.ts';
import { EntryProblem, type Path } from './problem.ts';

/** An entry as parsed JSON. */
export type Entry = Readonly<Record<string, unknown>>;

/** A value as written in the file, with its variables not yet expanded. */
export interface Text {
  readonly text: string;
  /** Its place in the entry, for messages. */
  readonly path: Path;
}

/** A list of tool names or patterns. */
export function patterns(entry: Entry, field: 'allow' | 'deny'): string[] | undefined {
  const given = pick(entry, field);
  if (!given) return undefined;
  const { key, value } = given;
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string' && item !== '')) {
    throw new EntryProblem(
      `'${key}' must be a list of tool names`,
      [key],
      `"${key}": ["read_*", "list_files"]`,
    );
  }
  return value;
}

/** One of a fixed list of words. */
export function oneOf(
  entry: Entry,
  field: Field,
  values: readonly string[],
  accepted = `"${field}": ${values.map(value => `"${value}"`).join(' | ')}`,
): string | undefined {
  const given = pick(entry, field);
  if (!given) return undefined;
  if (typeof given.value === 'string' && values.includes(given.value)) return given.value;
  throw new EntryProblem(`'${given.key}' is ${quoted(given.value)}`, [given.key], accepted);
}

/** An object as name-value pairs of one kind, in file order. */
export function readMap<T>(
  entry: Entry,
  field: Field,
  accepted: string,
  read: (name: string, value: unknown, path: [string, string]) => T,
): Map<string, T> {
  const given = pick(entry, field);
  if (!given) return new Map();
  const { key, value } = given;
  if (!isPlainObject(value)) throw new EntryProblem(`'${key}' must be an object`, [key], accepted);
  return new Map(Object.entries(value).map(([name, item]) => [name, read(name, item, [key, name])]));
}

/** A non-empty string. */
export function optionalText(entry: Entry, field: Field): Text | undefined {
  const given = pick(entry, field);
  if (!given) return undefined;
  const { key, value } = given;
  if (typeof value !== 'string' || value.trim() === '' || value.includes('\0')) {
    throw new EntryProblem(`'${key}' must be a non-empty string`, [key]);
  }
  return { text: value, path: [key] };
}

export function flag(entry: Entry, field: Field): boolean | undefined {
  const given = pick(entry, field);
  if (!given) return undefined;
  if (typeof given.value === 'boolean') return given.value;
  throw new EntryProblem(`'${given.key}' must be true or false`, [given.key], `"${given.key}": true`);
}

/** The value of a field under whichever of its keys is used. Throws EntryProblem if two keys disagree. */
export function pick(entry: Entry, field: Field): { key: string; value: unknown } | undefined {
  const present = (KEYS[field] as readonly string[]).filter(key => entry[key] !== undefined);
  const [key, ...others] = present;
  if (key === undefined) return undefined;
  for (const other of others) {
    if (JSON.stringify(entry[other]) === JSON.stringify(entry[key])) continue;
    throw new EntryProblem(`'${key}' and '${other}' say the same thing in two ways: keep one`, [other]);
  }
  return { key, value: entry[key] };
}
