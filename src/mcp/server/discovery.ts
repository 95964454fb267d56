import { setImmediate as immediate } from 'node:timers/promises';
import type { ZodType } from 'zod';
import { quoted } from '../../text/clean/visible.ts';
import { definitionSizeFault } from '../../text/json/definition-size.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { LIST_MARK } from '../transport/wire-extensions.ts';
import { isCleanName, TEXT_LIMITS } from './incoming-text.ts';
import {
  type ResourceTemplate,
  ResourceTemplateSchema,
  type ServerPrompt,
  ServerPromptSchema,
  type ServerResource,
  ServerResourceSchema,
  type ServerTool,
  ServerToolSchema,
} from './wire-schemas.ts';

/** A server whose cursors never end must not keep the host busy forever. */
const MAX_PAGES = 256;
/** More than anyone can use, and all of it is kept in memory. */
const MAX_ITEMS = 5000;
/** Items between which others may have the thread. */
const SLICE = 200;

/** A list that a server may have. */
export interface ListKind<T> {
  readonly method: string;
  /** The key of the list in the result. */
  readonly key: string;
  readonly schema: ZodType<T>;
  /** The key that identifies an item. */
  readonly idOf: (item: T) => string;
  /** For messages. */
  readonly word: string;
  /** Why an item, as it was sent, cannot be used. */
  readonly faultOf: (item: unknown) => string | undefined;
  /** The item's name in a message. */
  readonly labelOf: (item: unknown) => string;
}

/** An item that cannot be used, and why. */
export interface LeftOut {
  readonly label: string;
  readonly fault: string;
}

/** Where the news of a list go. */
export interface ListNews {
  readonly onLog: (line: string) => void;
  readonly onLeftOut: (item: LeftOut) => void;
}

export const TOOLS: ListKind<ServerTool> = {
  method: 'tools/list',
  key: 'tools',
  schema: ServerToolSchema,
  idOf: tool => tool.name,
  word: 'tool',
  faultOf: definitionFault,
  labelOf: toolLabel,
};

export const PROMPTS: ListKind<ServerPrompt> = {
  method: 'prompts/list',
  key: 'prompts',
  schema: ServerPromptSchema,
  idOf: prompt => prompt.name,
  word: 'prompt',
  ...named('name', TEXT_LIMITS.name),
};

export const RESOURCES: ListKind<ServerResource> = {
  method: 'resources/list',
  key: 'resources',
  schema: ServerResourceSchema,
  idOf: resource => resource.uri,
  word: 'resource',
  ...named('uri', TEXT_LIMITS.uri),
};

export const TEMPLATES: ListKind<ResourceTemplate> = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  schema: ResourceTemplateSchema,
  idOf: template => template.uriTemplate,
  word: 'resource template',
  ...named('uriTemplate', TEXT_LIMITS.uri),
};

function named(key: string, limit: number): Pick<ListKind<unknown>, 'faultOf' | 'labelOf'> {
  const nameOf = (item: unknown) => (isPlainObject(item) ? item[key] : undefined);
  return {
    faultOf: item => {
      const name = nameOf(item);
      if (typeof name !== 'string' || name === '') return `it has no ${key}`;
      return isCleanName(name, limit) ? undefined : `its ${key} is too long or has hidden characters`;
    },
    labelOf: item => quoted(nameOf(item) ?? 'without a name'),
  };
}

/** Requests one page. */
export type PageRequest = (
  method: string,
  params: { readonly cursor?: string },
) => Promise<Readonly<Record<string, unknown>> & { readonly nextCursor?: string | undefined }>;

/**
 * Fetches a list page by page, each item once. Invalid items are left out and reported. Everything after
 * a repeated cursor, page 256 or item 5,000 is left out with a line in the log. Rejects if a page cannot be fetched.
 */
export async function listAll<T>(ask: PageRequest, kind: ListKind<T>, news: ListNews): Promise<readonly T[]> {
  const { onLog } = news;
  const items = new Map<string, T>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(kind.method, cursor === undefined ? {} : { cursor });
    const list = answer[LIST_MARK + kind.key] ?? answer[kind.key];
    if (!Array.isArray(list)) throw new Error(`the answer to ${kind.method} holds no list '${kind.key}'`);
    for (const item of list) {
      if (items.size >= MAX_ITEMS) {
        onLog(`the server has more than ${MAX_ITEMS} ${kind.word}s; the rest is left out`);
        return [...items.values()];
      }
      addItem(items, item, kind, news);
      if (items.size % SLICE === 0) await immediate();
    }
    cursor = answer.nextCursor;
    // An empty string is a cursor like any other.
    if (cursor === undefined) return [...items.values()];
    if (cursors.has(cursor)) {
      onLog(`the list of ${kind.word}s goes round in circles; the rest is left out`);
      return [...items.values()];
    }
    cursors.add(cursor);
  }
  onLog(`the list of ${kind.word}s has more than ${MAX_PAGES} pages; the rest is left out`);
  return [...items.values()];
}

function addItem<T>(
  items: Map<string, T>,
  item: unknown,
  kind: ListKind<T>,
  { onLog, onLeftOut }: ListNews,
): void {
  const fault = kind.faultOf(item);
  const parsed = fault === undefined ? kind.schema.safeParse(item) : undefined;
  if (!parsed?.success) {
    onLeftOut({ label: kind.labelOf(item), fault: fault ?? 'its definition is not valid' });
    return;
  }
  const id = kind.idOf(parsed.data);
  if (items.has(id)) onLog(`the ${kind.word} '${id}' is listed twice; the first is used`);
  else items.set(id, parsed.data);
}

const MAX_NAMED = 3;

/** `tool 'a' is left out: its definition ...`, with the first few of several. */
export function leftOutText(tools: readonly LeftOut[]): string {
  const named = tools.slice(0, MAX_NAMED).map(({ label, fault }) => `tool ${label} is left out: ${fault}`);
  const rest = tools.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more tools are left out`] : [])].join('; ');
}

/** Strings below these have to be repeated exactly by a call, so they cannot be cleaned. */
const EXACT = new Set(['enum', 'const']);

/** Why a tool, as its server lists it, cannot be offered; undefined if it can. */
function definitionFault(tool: unknown): string | undefined {
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

/** Checks the parts of a schema that templates, grammars and validators rely on. */
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
