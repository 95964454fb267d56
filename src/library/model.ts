import type { ChatModel } from '../agent/model/chat-model.ts';
import { completionTurn } from '../agent/requests/completion-turn.ts';
import type { Message } from '../chat/message.ts';
import { LlmHostError } from '../errors.ts';
import type { OpenedModel } from '../run/open-model.ts';
import type { Sampling } from '../text/sampling/fields.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { Chat, type ChatOptions } from './chat.ts';
import { Reply } from './reply.ts';
import { samplingOf } from './sampling-of.ts';

export interface CompleteOptions extends Sampling {
  /** Cancels the reply. */
  readonly signal?: AbortSignal;
}

/** What a model is made of, for other parts of the library. */
export let chatModelOf: (model: Model) => ChatModel;

/** A model in this process. Made by `loadModel`. */
export class Model implements AsyncDisposable {
  static {
    chatModelOf = model => {
      model.#mustBeOpen();
      return model.#opened.model;
    };
  }

  readonly #opened: OpenedModel;
  readonly #tokenizer: Tokenizer;
  readonly #chats = new Set<Chat>();
  readonly #open = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(opened: OpenedModel, tokenizer: Tokenizer) {
    this.#opened = opened;
    this.#tokenizer = tokenizer;
  }

  /** The Hub id, or the name of the file or folder. */
  get name(): string {
    return this.#opened.name;
  }

  /** `cpu` or `gpu`. */
  get device(): string {
    return this.#opened.device;
  }

  /** Tokens. */
  get contextLength(): number {
    return this.#opened.model.contextLength;
  }

  /** A conversation of its own; several may run at once. @throws LlmHostError USAGE: options that cannot be */
  chat(options: ChatOptions = {}): Chat {
    this.#mustBeOpen();
    const chat = new Chat(this.#opened.model, options, closed => this.#chats.delete(closed));
    this.#chats.add(chat);
    return chat;
  }

  /** Continues a text as it is, without the chat template. @throws LlmHostError USAGE: options that cannot be */
  complete(text: string, { signal, ...options }: CompleteOptions = {}): Reply {
    this.#mustBeOpen();
    const sampling = samplingOf(options);
    const both = signal ? AbortSignal.any([signal, this.#open.signal]) : this.#open.signal;
    const { model } = this.#opened;
    return new Reply(
      {
        events: stop => completionTurn(model, { text, sampling, signal: stop }),
        read: async () => undefined,
      },
      Promise.resolve(),
      both,
    );
  }

  /** The ids of a text. Nothing is added, and what looks like a special token is text. */
  tokenize(text: string): readonly number[] {
    return this.#tokenizer.encode(text);
  }

  /** The text of ids, special tokens included. */
  detokenize(ids: readonly number[]): string {
    return this.#tokenizer.decode(ids);
  }

  /** Of a text by itself, or of a conversation as a prompt of this model. */
  countTokens(of: string | readonly Message[]): number {
    if (typeof of === 'string') return this.#tokenizer.encode(of).length;
    return this.#opened.model.countTokens({ messages: of, tools: [] });
  }

  /** Ends its chats and frees its memory. Called twice, it does nothing more. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#open.abort();
    await Promise.all([...this.#chats].map(chat => chat.close()));
    await this.#opened.close();
  }

  #mustBeOpen(): void {
    if (this.#open.signal.aborted) throw new LlmHostError('USAGE', `The model ${this.name} is closed`);
  }
}
