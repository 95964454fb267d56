import { LlmHostError } from '../errors.ts';
import type { Message } from './message.ts';
import { parseMessages } from './parse-messages.ts';

/** The length of a history at some point, for `rollback`. */
export type HistoryMark = number & { readonly brand?: 'HistoryMark' };

/**
 * The conversation: messages in order, only added to or removed from at the end. The oldest turns may be replaced by a
 * summary, which is the first user message then.
 */
export interface History {
  /** As the model knows them. */
  readonly messages: readonly Message[];
  /** The messages that summaries have replaced, in order. */
  readonly summarized: readonly Message[];
  add(...messages: Message[]): void;
  mark(): HistoryMark;
  /** Drops everything after `mark`. Throws if the history is already shorter. */
  rollback(mark: HistoryMark): void;
  /** The last user message that is not a summary; -1: there is none. */
  readonly lastPrompt: number;
  /** Drops the last user message and everything after it; false if there is none. */
  undoTurn(): boolean;
  /** Continues with `messages`, in which a summary stands for the messages `removed`, and for those of the summary before it. */
  summarize(messages: readonly Message[], removed: readonly Message[]): void;
  /** Undoes the last summary if nothing was said since; false otherwise. */
  undoSummary(): boolean;
  /** Another conversation in the place of this one. */
  replace(messages: readonly Message[], summarized?: readonly Message[]): void;
  /** Another system message; undefined: none. */
  setSystem(content: string | undefined): void;
  /** Drops everything but the system message. */
  clear(): void;
  toJSON(): readonly Message[];
}

/** An empty conversation, with a system message unless `system` is empty. */
export function createHistory(system = ''): History {
  return new MessageList(system === '' ? [] : [{ role: 'system', content: system }]);
}

/** Parses what `JSON.stringify(history)` wrote, or messages as OpenAI's API has them. Throws LlmHostError CONFIG for anything else. */
export function parseHistory(json: string): History {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new LlmHostError('CONFIG', 'The saved conversation is not valid JSON', { cause });
  }
  return new MessageList(parseMessages(value));
}

/** A summary, and what it replaced. */
interface Summary {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly summarizedBefore: readonly Message[];
}

class MessageList implements History {
  #messages: readonly Message[];
  #summarized: readonly Message[] = [];
  /** The latest last. */
  #summaries: readonly Summary[] = [];

  constructor(messages: readonly Message[]) {
    this.#messages = [...messages];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get summarized(): readonly Message[] {
    return this.#summarized;
  }

  get lastPrompt(): number {
    const last = this.#messages.findLastIndex(isPrompt);
    const isSummary = this.#summarized.length > 0 && last === this.#messages.findIndex(isPrompt);
    return isSummary ? -1 : last;
  }

  add(...messages: Message[]): void {
    this.#messages = [...this.#messages, ...messages];
  }

  mark(): HistoryMark {
    return this.#messages.length;
  }

  rollback(mark: HistoryMark): void {
    if (!Number.isInteger(mark) || mark < 0 || mark > this.#messages.length) {
      throw new RangeError(`The history has ${this.#messages.length} messages and cannot go back to ${mark}`);
    }
    this.#messages = this.#messages.slice(0, mark);
  }

  undoTurn(): boolean {
    const at = this.lastPrompt;
    if (at < 0) return false;
    this.rollback(at);
    return true;
  }

  summarize(messages: readonly Message[], removed: readonly Message[]): void {
    const summarizedBefore = this.#summarized;
    const summary = { before: this.#messages, after: [...messages], summarizedBefore };
    this.#messages = [...messages];
    this.#summarized = [...summarizedBefore, ...removed];
    this.#summaries = [...this.#summaries, summary];
  }

  undoSummary(): boolean {
    const last = this.#summaries.at(-1);
    if (last !== undefined && sameItems(spoken(this.#messages), spoken(last.after))) {
      this.#messages = [...this.#system(), ...spoken(last.before)];
      this.#summarized = last.summarizedBefore;
      this.#summaries = this.#summaries.slice(0, -1);
      return true;
    }
    // Only the messages of a conversation from a file are known; they can come back once nothing follows the
    // summary.
    if (this.#summarized.length === 0 || this.lastPrompt >= 0) return false;
    this.replace([...this.#system(), ...this.#summarized]);
    return true;
  }

  replace(messages: readonly Message[], summarized: readonly Message[] = []): void {
    this.#messages = [...messages];
    this.#summarized = summarized;
    this.#summaries = [];
  }

  setSystem(content: string | undefined): void {
    const system: Message[] = content === undefined ? [] : [{ role: 'system', content }];
    this.#messages = [...system, ...spoken(this.#messages)];
  }

  clear(): void {
    this.replace(this.#system());
  }

  #system(): readonly Message[] {
    return this.#messages.filter((message, index) => index === 0 && message.role === 'system');
  }

  toJSON(): readonly Message[] {
    return this.#messages;
  }
}

const isPrompt = ({ role }: Message): boolean => role === 'user';

/** All but the system message at the start. */
function spoken(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'system' ? messages.slice(1) : messages;
}

function sameItems(a: readonly Message[], b: readonly Message[]): boolean {
  return a.length === b.length && a.every((message, index) => message === b[index]);
}
