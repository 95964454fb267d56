import type { ServerEvent } from './server/managed-server.ts';

const MAX_KEPT = 100;
/** More servers than that are counted instead of named. */
const MAX_NAMED = 3;

/** News of the servers, kept until shown; of repeated events only the latest. */
export class Notices {
  #kept = new Map<string, string>();
  /** Tools of the servers that have become ready. */
  #ready = new Map<string, number>();

  add(key: string, message: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, message);
    const oldest = this.#kept.size > MAX_KEPT ? this.#kept.keys().next().value : undefined;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Told first; many of them in one sentence. */
  addReady(server: string, tools: number): void {
    this.#ready.set(server, tools);
  }

  /** What is known of the servers anyway. */
  dropReady(): void {
    this.#ready = new Map();
  }

  /** Returns all, oldest first, and clears them. */
  take(): readonly string[] {
    const taken = [...readySentences(this.#ready), ...this.#kept.values()];
    this.#kept = new Map();
    this.#ready = new Map();
    return taken;
  }
}

function readySentences(ready: ReadonlyMap<string, number>): string[] {
  if (ready.size <= MAX_NAMED)
    return [...ready].map(([server, tools]) => eventSentence(server, 'ready', String(tools)));
  const tools = [...ready.values()].reduce((sum, count) => sum + count, 0);
  return [`${ready.size} servers are ready: ${tools} tools.`];
}

/** Describes a server event in a sentence. */
export function eventSentence(server: string, event: ServerEvent, detail: string): string {
  const tools = `${detail} tool${detail === '1' ? '' : 's'}`;
  switch (event) {
    case 'ready':
      return `Server '${server}' is ready: ${tools}.`;
    case 'restarted':
      return `Server '${server}' was restarted: ${tools}.`;
    case 'tools':
      return `Server '${server}' has changed its tools: now ${tools}.`;
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
