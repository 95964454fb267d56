import { createHash } from 'node:crypto';
import type { Message } from '../../chat/message.ts';

interface Entry {
  readonly messages: readonly Message[];
  readonly chars: number;
}

const MAX_ENTRIES = 1000;
const MAX_CHARS = 16_000_000;

/**
 * The messages between a client's message and the reply it got: calls of our own tools and their results. A client
 * only sends back what it has seen; with the hidden messages restored the model knows what it did, and the prompt
 * starts with the same tokens as before. Looked up by the whole conversation up to the reply.
 */
export class HiddenRounds {
  readonly #entries = new Map<string, Entry>();
  #chars = 0;

  /**
   * `shown`: the client's messages and the reply as it will send them back; `hidden`: the messages behind that reply.
   */
  remember(shown: readonly Message[], hidden: readonly Message[]): void {
    const key = keysOf(shown).at(-1);
    if (key === undefined) return;
    const chars = JSON.stringify(hidden).length;
    this.#forget(key);
    this.#entries.set(key, { messages: hidden, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#chars <= MAX_CHARS) break;
      this.#forget(oldest);
    }
  }

  /** The conversation with its hidden messages. */
  restore(shown: readonly Message[]): readonly Message[] {
    if (this.#entries.size === 0) return shown;
    const keys = keysOf(shown);
    return shown.flatMap((message, index) => {
      const entry = message.role === 'assistant' ? this.#entries.get(keys[index] as string) : undefined;
      return entry ? withIdsOf(message, entry.messages) : [message];
    });
  }

  #forget(key: string): void {
    this.#chars -= this.#entries.get(key)?.chars ?? 0;
    this.#entries.delete(key);
  }
}

/** The calls that went to the client, by the ids that they have there: its results name those. */
function withIdsOf(shown: Message, hidden: readonly Message[]): readonly Message[] {
  const answered = new Set(hidden.flatMap(one => (one.role === 'tool' ? [one.tool_call_id] : [])));
  const ids = shown.role === 'assistant' ? (shown.tool_calls ?? []).map(call => call.id) : [];
  return hidden.map(message => {
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const calls = message.tool_calls.map(call =>
      answered.has(call.id) ? call : { ...call, id: ids.shift() ?? call.id },
    );
    return { ...message, tool_calls: calls };
  });
}

/** For each message, a digest of it and all before it. */
function keysOf(messages: readonly Message[]): string[] {
  let key = '';
  return messages.map(message => {
    key = createHash('sha256').update(key).update(plain(message)).digest('base64');
    return key;
  });
}

/** Ignores what clients change or drop: ids, reasoning, whitespace. */
function plain(message: Message): string {
  const content = message.content.replace(/\s+/g, ' ').trim();
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return JSON.stringify([message.role, content, calls.map(call => call.function)]);
}
