import { quoted } from '../../text/clean/visible.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

/** In the schema of an argument that is to be sent as an HTTP header too, so that proxies can route by it. */
const KEY = 'x-mcp-header';
const TYPES = new Set(['string', 'integer', 'boolean']);
/** A token as RFC 9110 defines it. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_DEPTH = 32;

interface Declaration {
  /** Property names from the outside in. */
  readonly path: readonly string[];
  readonly header: string;
  readonly type: unknown;
}

/** Why a server may not ask for these headers, and the tool is left out, as the protocol demands; undefined: it may. */
export function headerFault(inputSchema: unknown): string | undefined {
  const { wellPlaced, all } = declarations(inputSchema);
  if (all > wellPlaced.length) return `its schema has ${KEY} where no argument is`;
  const names = new Set<string>();
  for (const { header, type } of wellPlaced) {
    if (!TOKEN.test(header)) return `${quoted(header)} of its schema's ${KEY} is no name of a header`;
    if (typeof type !== 'string' || !TYPES.has(type))
      return `its schema has ${KEY} for an argument of type ${quoted(type)}`;
    if (names.has(header.toLowerCase()))
      return `its schema has two arguments for the header ${quoted(header)}`;
    names.add(header.toLowerCase());
  }
  return undefined;
}

/** The headers of a call. */
export function argumentHeaders(
  inputSchema: unknown,
  args: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarations(inputSchema).wellPlaced) {
    const value = path.reduce<unknown>(
      (object, key) => (isPlainObject(object) ? object[key] : undefined),
      args,
    );
    const text = headerText(value);
    if (text !== undefined && TOKEN.test(header)) headers[`Mcp-Param-${header}`] = encoded(text);
  }
  return headers;
}

/** Where the key is: as arguments at any depth, and anywhere. */
function declarations(schema: unknown): {
  readonly wellPlaced: readonly Declaration[];
  readonly all: number;
} {
  const wellPlaced: Declaration[] = [];
  let all = 0;
  const visit = (node: unknown, path: readonly string[] | undefined, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item, undefined, depth + 1);
      return;
    }
    const object = node as Readonly<Record<string, unknown>>;
    if (KEY in object) {
      all++;
      const header = object[KEY];
      if (path !== undefined && path.length > 0)
        wellPlaced.push({ path, header: typeof header === 'string' ? header : '', type: object.type });
    }
    for (const [key, value] of Object.entries(object)) {
      if (key === 'properties' && isPlainObject(value)) {
        for (const [name, item] of Object.entries(value)) {
          visit(item, path === undefined ? undefined : [...path, name], depth + 2);
        }
      } else if (key !== 'const' && key !== 'enum' && key !== 'default' && key !== 'examples') {
        visit(value, undefined, depth + 1);
      }
    }
  };
  visit(schema, [], 0);
  return { wellPlaced, all };
}

function headerText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value))
    ? String(value)
    : undefined;
}

/** As it is if a header can hold it, else in base64. */
function encoded(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
