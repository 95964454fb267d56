import type { ServerEvent } from './server/managed-server.ts';
import type { ServerTool } from './server/wire-schemas.ts';
import { toolChanges } from './tool-changes.ts';

const MAX_KEPT = 100;
/** More servers than that are counted instead of named. */
const MAX_NAMED = 3;

interface ToolLists {
  readonly before: readonly ServerTool[];
  readonly now: readonly ServerTool[];
}

/** News of the servers, kept until shown; of repeated events only the latest. */
export class Notices {
  #kept = new Map<string, string>();
  /** What was told once, by key. */
  readonly #once = new Map<string, string>();
  /** Tools of the servers that have become ready. */
  #ready = new Map<string, number>();
  /** Of each server that has changed its tools: those that the user was last told of, and those now. */
  #tools = new Map<string, ToolLists>();

  add(key: string, message: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, message);
    const oldest = this.#kept.size > MAX_KEPT ? this.#kept.keys().next().value : undefined;
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

  /** What is known of the servers anyway. */
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
  if (ready.size <= MAX_NAMED)
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
