import type { ZodType } from 'zod';
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

/** A list that a server may have. */
export interface ListKind<T> {
  readonly method: string;
  /** The key of the list in the result. */
  readonly key: string;
  readonly schema: ZodType<T>;
  /** What identifies an item. */
  readonly idOf: (item: T) => string;
  /** For messages. */
  readonly word: string;
}

export const TOOLS: ListKind<ServerTool> = {
  method: 'tools/list',
  key: 'tools',
  schema: ServerToolSchema,
  idOf: tool => tool.name,
  word: 'tool',
};

export const PROMPTS: ListKind<ServerPrompt> = {
  method: 'prompts/list',
  key: 'prompts',
  schema: ServerPromptSchema,
  idOf: prompt => prompt.name,
  word: 'prompt',
};

export const RESOURCES: ListKind<ServerResource> = {
  method: 'resources/list',
  key: 'resources',
  schema: ServerResourceSchema,
  idOf: resource => resource.uri,
  word: 'resource',
};

export const TEMPLATES: ListKind<ResourceTemplate> = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  schema: ResourceTemplateSchema,
  idOf: template => template.uriTemplate,
  word: 'resource template',
};

/** Requests one page. */
export type PageRequest = (
  method: string,
  params: { readonly cursor?: string },
) => Promise<Readonly<Record<string, unknown>> & { readonly nextCursor?: string | undefined }>;

/**
 * Fetches a list page by page, each item once. Invalid items are skipped with a line in the log; so is everything
 * after a repeated cursor, page 256 or item 5,000. Rejects if a page cannot be fetched.
 */
export async function listAll<T>(
  ask: PageRequest,
  kind: ListKind<T>,
  onLog: (line: string) => void,
): Promise<readonly T[]> {
  const items = new Map<string, T>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(kind.method, cursor === undefined ? {} : { cursor });
    const list = answer[kind.key];
    if (!Array.isArray(list)) throw new Error(`the answer to ${kind.method} holds no list '${kind.key}'`);
    for (const item of list) {
      if (items.size >= MAX_ITEMS) {
        onLog(`the server has more than ${MAX_ITEMS} ${kind.word}s; the rest is left out`);
        return [...items.values()];
      }
      addItem(items, item, kind, onLog);
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
  onLog: (line: string) => void,
): void {
  const parsed = kind.schema.safeParse(item);
  if (!parsed.success) {
    onLog(`a ${kind.word} is left out, its definition is not valid: ${JSON.stringify(item)?.slice(0, 200)}`);
    return;
  }
  const id = kind.idOf(parsed.data);
  if (items.has(id)) onLog(`the ${kind.word} '${id}' is listed twice; the first is used`);
  else items.set(id, parsed.data);
}
