import { createHash } from 'node:crypto';
import type { Message } from '../../chat/message.ts';
import type { KeptReading } from '../results/kept-reading.ts';
import type { KeptResult } from '../results/kept-results.ts';

interface Entry {
  readonly messages: readonly Message[];
  /** Results that these messages say how to read. */
  readonly results: readonly KeptResult[];
  readonly links: ReturnType<KeptReading['links']['all']>;
  readonly chars: number;
}

const MAX_ENTRIES = 1000;
const MAX_CHARS = 16_000_000;

/**
 * The messages between a client's message and the reply it got: calls of our own tools and their results. A client
 * only sends back what it has seen; with the hidden messages restored the model knows what it did, and the prompt
 * starts with the same tokens as before. Looked up by the whole conversation up to the reply.
 */
export class ServerSideRounds {
  readonly #entries = new Map<string, Entry>();
  #chars = 0;

  /**
   * `shown`: the client's messages and the reply as it will send them back; `hidden`: the messages behind that reply; `kept`:
   * what can be read in results, of which that of `hidden` stays.
   */
  remember(shown: readonly Message[], hidden: readonly Message[], kept: KeptReading): void {
    const key = keysOf(shown).at(-1);
    if (key === undefined) return;
    const text = JSON.stringify(hidden);
    const results = kept.results.all().filter(({ reference }) => text.includes(reference));
    const links = kept.links.all();
    const chars = [...results.map(one => one.text), ...links.flat(), text].reduce(
      (sum, { length }) => sum + length,
      0,
    );
    this.#forget(key);
    this.#entries.set(key, { messages: hidden, results, links, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#chars <= MAX_CHARS) break;
      this.#forget(oldest);
    }
  }

  /** The conversation with its hidden messages; what can be read in them goes into `kept`. */
  restore(shown: readonly Message[], kept: KeptReading): readonly Message[] {
    if (this.#entries.size === 0) return shown;
    const keys = keysOf(shown);
    return shown.flatMap((message, index) => {
      const entry = message.role === 'assistant' ? this.#entries.get(keys[index] as string) : undefined;
      if (entry === undefined) return [message];
      for (const result of entry.results.toReversed()) kept.results.add(result);
      for (const [uri, server] of entry.links) kept.links.keep(uri, server);
      return withIdsOf(message, entry.messages);
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
