import type { ServerEvent } from './server/managed-server.ts';

const MAX_KEPT = 100;

/** What has happened to the servers, kept until somebody shows it. Of a server that changes all the time, the last. */
export class Notices {
  #kept = new Map<string, string>();

  add(key: string, message: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, message);
    const oldest = this.#kept.size > MAX_KEPT ? this.#kept.keys().next().value : undefined;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** All of them, oldest first, and none the next time. */
  take(): readonly string[] {
    const taken = [...this.#kept.values()];
    this.#kept = new Map();
    return taken;
  }
}

/** The sentence for an event of a server. */
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
    case 'failed':
      return asSentence(detail);
    case 'declined':
      return detail;
  }
}

/** With a capital, unless it begins with a place in a file, whose name stays as it is. */
export function asSentence(text: string): string {
  return /^[^\n]*:\d+:\d+: /.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
