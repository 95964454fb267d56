import type { ChatModel } from '../agent/model/chat-model.ts';
import { completionTurn } from '../agent/requests/request-turns.ts';
import type { Message } from '../chat/message.ts';
import type { Embedder, EmbedOptions, Ranked, RankOptions } from '../embed/embedder.ts';
import { LlmHostError } from '../errors.ts';
import { notAChatModel, notAnEmbeddingModel } from '../model/not-a-chat-model.ts';
import type { OpenedModel } from '../run/open-model.ts';
import type { Sampling } from '../text/sampling/fields.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { type Chat, type ChatOptions, newChat } from './chat.ts';
import { newReply, type Reply } from './reply.ts';
import { samplingOf } from './sampling-of.ts';

export interface CompleteOptions extends Sampling {
  /** Cancels the reply. */
  readonly signal?: AbortSignal;
}

/** For `loadModel`. */
export let newModel: (opened: OpenedModel, tokenizer: Tokenizer) => Model;
/** For other parts of the library. @throws LlmHostError USAGE: a chat model */
export let embedderOf: (model: Model) => Embedder;

/** A model in this process. Made by `loadModel`. */
export class Model implements AsyncDisposable {
  static {
    newModel = (opened, tokenizer) => new Model(opened, tokenizer);
    embedderOf = model => model.#embedder();
  }

  readonly #opened: OpenedModel;
  readonly #tokenizer: Tokenizer;
  readonly #chats = new Set<Chat>();
  readonly #open = new AbortController();
  #closed: Promise<void> | undefined;

  private constructor(opened: OpenedModel, tokenizer: Tokenizer) {
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

  /** Numbers per vector of an embedding model; undefined for a chat model or a reranker. */
  get dimensions(): number | undefined {
    const { embedder } = this.#opened;
    return embedder?.isReranker ? undefined : embedder?.dimensions;
  }

  /** For an `Agent`. @throws LlmHostError USAGE: an embedding model */
  get chatModel(): ChatModel {
    this.#mustBeOpen();
    if (this.#opened.embedder) throw notAChatModel(this.name);
    return this.#opened.model;
  }

  /**
   * A conversation of its own; several may run at once.
   * @throws LlmHostError USAGE: options that cannot be, or an embedding model
   */
  chat(options: ChatOptions = {}): Chat {
    const chat = newChat(this.chatModel, options, closed => this.#chats.delete(closed));
    this.#chats.add(chat);
    return chat;
  }

  /** Continues a text as it is, without the chat template. @throws LlmHostError USAGE: options that cannot be */
  complete(text: string, { signal, ...options }: CompleteOptions = {}): Reply {
    const model = this.chatModel;
    const sampling = samplingOf(options);
    return newReply(
      {
        events: stop => completionTurn(model, { text, sampling, signal: stop }),
        read: async () => undefined,
      },
      Promise.resolve(),
      this.#until(signal),
    );
  }

  /**
   * The vectors of texts, in their order, by an embedding model.
   * @throws LlmHostError USAGE: options that cannot be, or a chat model; CONTEXT_FULL, CANCELLED
   */
  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    const { vectors } = await this.#embedder().embed(texts, {
      ...options,
      signal: this.#until(options.signal),
    });
    return vectors;
  }

  /**
   * Documents by how well they answer a query, the best first: by the cosine of their vectors, or by a reranker.
   * @throws LlmHostError as `embed` does
   */
  async rank(
    query: string,
    documents: readonly string[],
    options: RankOptions = {},
  ): Promise<readonly Ranked[]> {
    const until = { ...options, signal: this.#until(options.signal) };
    return (await this.#embedder().rank(query, documents, until)).ranked;
  }

  /** The ids of a text. Nothing is added, and what looks like a special token is text. */
  tokenize(text: string): readonly number[] {
    return this.#tokenizer.encode(text);
  }

  /** The text of ids, special tokens included. */
  detokenize(ids: readonly number[]): string {
    return this.#tokenizer.decode(ids);
  }

  /** Counts the tokens of a text by itself, or of a conversation as a prompt of this model. */
  countTokens(of: string | readonly Message[]): number {
    if (typeof of === 'string') return this.#tokenizer.encode(of).length;
    return this.chatModel.countTokens({ messages: of, tools: [] });
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

  #embedder(): Embedder {
    this.#mustBeOpen();
    if (this.#opened.embedder) return this.#opened.embedder;
    throw notAnEmbeddingModel(this.name);
  }

  #until(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#open.signal]) : this.#open.signal;
  }

  #mustBeOpen(): void {
    if (this.#open.signal.aborted) throw new LlmHostError('USAGE', `The model ${this.name} is closed`);
  }
}
