import { visible } from '../../text/clean/visible.ts';
import { cleanLine, TEXT_LIMITS } from '../server/incoming-text.ts';
import type { ServerEvent } from '../server/managed-server.ts';
import type { ServerTool } from '../server/wire-schemas.ts';
import { fingerprint } from '../trust/tools.ts';

const MAX_NOTICES = 100;
/** More servers than that are counted instead of named. */
const MAX_NAMED_SERVERS = 3;

interface ToolLists {
  readonly before: readonly ServerTool[];
  readonly now: readonly ServerTool[];
}

/** News of the servers, kept until shown; of repeated events only the latest. */
export class Notices {
  #kept = new Map<string, string>();
  /** Texts of notices that are shown once, by key. */
  readonly #once = new Map<string, string>();
  /** Tools of the servers that have become ready. */
  #ready = new Map<string, number>();
  /** For each server that has changed its tools, the list that the user last saw and the present one. */
  #tools = new Map<string, ToolLists>();

  add(key: string, message: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, message);
    const oldest = this.#kept.size > MAX_NOTICES ? this.#kept.keys().next().value : undefined;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The same, unless it was the last that was told under this key: a server says it whenever it lists its tools. */
  addOnce(key: string, message: string): void {
    if (this.#once.get(key) === message) return;
    this.#once.set(key, message);
    this.add(key, message);
  }

  /** Told first; many of them in one sentence. */
  addReady(server: string, tools: number): void {
    this.#ready.set(server, tools);
  }

  /** Told last, with all changes since the last time in one sentence. */
  addTools(server: string, before: readonly ServerTool[], now: readonly ServerTool[]): void {
    this.#tools.set(server, { before: this.#tools.get(server)?.before ?? before, now });
  }

  /** Drops notices that only say a server is ready. */
  dropReady(): void {
    this.#ready = new Map();
  }

  /** Returns all, oldest first but for changed tools, and clears them. */
  take(): readonly string[] {
    const changes = [...this.#tools].flatMap(([server, lists]) => changeSentence(server, lists) ?? []);
    const taken = [...readySentences(this.#ready), ...this.#kept.values(), ...changes];
    this.#kept = new Map();
    this.#ready = new Map();
    this.#tools = new Map();
    return taken;
  }
}

function changeSentence(server: string, { before, now }: ToolLists): string | undefined {
  const changes = toolChanges(before, now);
  return changes === undefined
    ? undefined
    : `Server '${server}' has changed its tools: ${changes}; now ${toolCount(now.length)}.`;
}

function toolCount(count: number): string {
  return `${count} tool${count === 1 ? '' : 's'}`;
}

function readySentences(ready: ReadonlyMap<string, number>): string[] {
  if (ready.size <= MAX_NAMED_SERVERS)
    return [...ready].map(([server, tools]) => eventSentence(server, 'ready', String(tools)));
  const tools = [...ready.values()].reduce((sum, count) => sum + count, 0);
  return [`${ready.size} servers are ready: ${tools} tools.`];
}

/** Describes a server event in a sentence. */
export function eventSentence(server: string, event: ServerEvent, detail: string): string {
  const tools = toolCount(Number(detail));
  switch (event) {
    case 'ready':
      return `Server '${server}' is ready: ${tools}.`;
    case 'restarted':
      return `Server '${server}' was restarted: ${tools}.`;
    case 'crashed':
      return `Server '${server}' ${detail}; it is being restarted.`;
    case 'left-out':
      return `Server '${server}': ${detail}.`;
    case 'failed':
      return asSentence(detail);
    case 'declined':
      return detail;
  }
}

/** Capitalized, unless it starts with a file position. */
export function asSentence(text: string): string {
  return /^[^\n]*:\d+:\d+: /.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** The limit for each kind; further ones are counted. */
const MAX_NAMED_TOOLS = 3;
const MAX_NAME_CHARS = 80;

/** Which tools a server has added, removed and changed, such as `'a' and 'b' added, 'c' removed`; undefined: none. */
function toolChanges(before: readonly ServerTool[], now: readonly ServerTool[]): string | undefined {
  const old = new Map(before.map(tool => [tool.name, tool]));
  const names = new Set(now.map(tool => tool.name));
  const isChanged = (tool: ServerTool): boolean => {
    const known = old.get(tool.name);
    return known !== undefined && known !== tool && fingerprint(known) !== fingerprint(tool);
  };
  const kinds = [
    [now.filter(({ name }) => !old.has(name)), 'added'],
    [before.filter(({ name }) => !names.has(name)), 'removed'],
    [now.filter(isChanged), 'changed'],
  ] as const;
  const parts = kinds.flatMap(([tools, what]) => (tools.length === 0 ? [] : [`${named(tools)} ${what}`]));
  return parts.length === 0 ? undefined : parts.join(', ');
}

function named(tools: readonly ServerTool[]): string {
  const names = tools
    .slice(0, MAX_NAMED_TOOLS)
    .map(({ name }) => `'${visible(name).slice(0, MAX_NAME_CHARS)}'`);
  const rest = tools.length - names.length;
  const all = rest > 0 ? [...names, `${rest} more`] : names;
  return all.length === 1 ? (all[0] as string) : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const MAX_CHANGED_RESOURCES = 50;

/** Attached resources that have changed: the user is told, and the model with the next prompt, since what it read is old. */
export class ResourceNews {
  readonly #notices: Notices;
  #changed = new Set<string>();

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  add(server: string, uri: string): void {
    const name = cleanLine(`${server}:${uri}`, TEXT_LIMITS.field);
    const has = 'has changed since it was attached';
    this.#notices.add(
      `${server}\0resource ${uri}`,
      `Resource @${name} ${has}; name it again to attach it anew.`,
    );
    if (this.#changed.size < MAX_CHANGED_RESOURCES) this.#changed.add(`[The resource ${name} ${has}]`);
  }

  /** For the model; returns all and clears them. */
  take(): readonly string[] {
    const taken = [...this.#changed];
    this.#changed.clear();
    return taken;
  }

  /** They were not told after all. */
  giveBack(taken: readonly string[]): void {
    this.#changed = new Set([...taken, ...this.#changed]);
  }
}
