import { LlmHostError } from '../errors.ts';
import type { Message } from './message.ts';

/** The length of a history at some point, for `rollback`. */
export type HistoryMark = number & { readonly brand?: 'HistoryMark' };

/** The conversation: messages in order, only added to or removed from at the end. */
export interface History {
  readonly messages: readonly Message[];
  add(...messages: Message[]): void;
  mark(): HistoryMark;
  /** Drops everything after `mark`. Throws if the history is already shorter. */
  rollback(mark: HistoryMark): void;
  /** Drops the last user message and everything after it; false if there is none. */
  undoTurn(): boolean;
  /** Drops everything but the system message. */
  clear(): void;
  toJSON(): readonly Message[];
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/** An empty conversation, with a system message unless `system` is empty. */
export function createHistory(system = ''): History {
  return new MessageList(system === '' ? [] : [{ role: 'system', content: system }]);
}

/** Parses what `JSON.stringify(history)` wrote. Throws LlmHostError CONFIG for anything else. */
export function parseHistory(json: string): History {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new LlmHostError('CONFIG', 'The saved conversation is not valid JSON', { cause });
  }
  if (!Array.isArray(value))
    throw new LlmHostError('CONFIG', 'The saved conversation is not a list of messages');
  value.forEach((message: unknown, index) => {
    if (!isMessage(message)) {
      throw new LlmHostError(
        'CONFIG',
        `Message ${index + 1} of the saved conversation has no known role or no text`,
      );
    }
  });
  return new MessageList(value as Message[]);
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { role, content } = value as { role?: unknown; content?: unknown };
  return ROLES.has(role) && typeof content === 'string';
}

class MessageList implements History {
  #messages: Message[];

  constructor(messages: readonly Message[]) {
    this.#messages = [...messages];
  }

  get messages(): readonly Message[] {
    return this.#messages;
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
    const at = this.#messages.findLastIndex(message => message.role === 'user');
    if (at < 0) return false;
    this.rollback(at);
    return true;
  }

  clear(): void {
    this.#messages = this.#messages.filter((message, index) => index === 0 && message.role === 'system');
  }

  toJSON(): readonly Message[] {
    return this.#messages;
  }
}
