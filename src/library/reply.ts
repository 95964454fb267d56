import type { TurnEvent } from '../agent/events/turn-event.ts';
import { type ErrorCode, LlmHostError } from '../errors.ts';

/** The events of a reply, in order. An error is thrown instead. */
export type ChatEvent = Exclude<TurnEvent, { type: 'error' }>;

/** A call of a tool, with what it gave or why it failed. */
export interface ToolRun {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result?: string;
  readonly error?: string;
}

/** A whole reply. */
export interface ReplyResult<T> {
  readonly text: string;
  /** The reply read by the schema that was asked for; undefined without one. */
  readonly value: T;
  readonly calls: readonly ToolRun[];
  /** Ended by its signal, or by leaving the loop over its events; `text` is what there was. */
  readonly cancelled: boolean;
  /** Tokens, over all rounds of calls. */
  readonly usage: {
    readonly promptTokens: number;
    readonly cachedTokens: number;
    readonly generatedTokens: number;
  };
}

/** Runs a turn, and reads the value out of its whole text. */
export interface ReplySource<T> {
  readonly events: (signal: AbortSignal) => AsyncIterable<TurnEvent>;
  /** Not called for a cancelled reply. */
  readonly read: (text: string) => Promise<T>;
}

/** `before` is waited for first: an earlier reply of the same chat. */
export let newReply: <T>(source: ReplySource<T>, before: Promise<unknown>, signal?: AbortSignal) => Reply<T>;

/**
 * A reply under way: `await` gives the whole of it, `for await` its events from the first one on, and both may be done.
 * Leaving the loop early cancels the reply. It runs from the start, read or not.
 */
export class Reply<T = undefined> implements AsyncIterable<ChatEvent>, PromiseLike<ReplyResult<T>> {
  static {
    newReply = (source, before, signal) => new Reply(source, before, signal);
  }

  readonly #events: ChatEvent[] = [];
  readonly #result: Promise<ReplyResult<T>>;
  readonly #stop = new AbortController();
  #ended = false;
  #wake: () => void = () => undefined;
  #news: Promise<void> = Promise.resolve();

  private constructor(source: ReplySource<T>, before: Promise<unknown>, signal?: AbortSignal) {
    this.#expectNews();
    const onAbort = () => this.cancel();
    if (signal?.aborted) this.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#result = this.#run(source, before).finally(() => {
      signal?.removeEventListener('abort', onAbort);
      this.#ended = true;
      this.#wake();
    });
  }

  /** Ends it as soon as possible; what was said so far is kept. */
  cancel(): void {
    this.#stop.abort();
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a reply is how its whole is asked for
  then<A = ReplyResult<T>, B = never>(
    onDone?: ((result: ReplyResult<T>) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onDone, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChatEvent, void> {
    // Thrown here as well.
    this.#result.catch(() => undefined);
    try {
      for (let at = 0; ; ) {
        while (at < this.#events.length) yield this.#events[at++] as ChatEvent;
        if (this.#ended) break;
        await this.#news;
      }
      await this.#result;
    } finally {
      if (!this.#ended) this.cancel();
    }
  }

  #expectNews(): void {
    this.#news = new Promise(resolve => {
      this.#wake = resolve;
    });
  }

  async #run({ events, read }: ReplySource<T>, before: Promise<unknown>): Promise<ReplyResult<T>> {
    await before;
    const { signal } = this.#stop;
    const sum = new Sum();
    for await (const event of events(signal)) {
      if (event.type === 'error') {
        const { code, message, hint } = event;
        throw new LlmHostError(code as ErrorCode, message, hint === undefined ? {} : { hint });
      }
      sum.add(event);
      this.#events.push(event);
      this.#wake();
      this.#expectNews();
    }
    const { text, calls, usage } = sum;
    const cancelled = sum.cancelled || signal.aborted;
    const value = cancelled ? undefined : await read(text);
    return { text, calls, usage, cancelled, value: value as T };
  }
}

/** The sum of a turn's events. */
class Sum {
  text = '';
  cancelled = false;
  usage = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
  readonly #calls = new Map<string, ToolRun>();

  get calls(): readonly ToolRun[] {
    return [...this.#calls.values()];
  }

  add(event: ChatEvent): void {
    if (event.type === 'assistant') {
      this.text = event.text;
      this.cancelled = event.cancelled;
    } else if (event.type === 'stats') {
      const { promptTokens, cachedTokens, generatedTokens } = event.stats;
      this.usage = {
        promptTokens: this.usage.promptTokens + promptTokens,
        cachedTokens: this.usage.cachedTokens + cachedTokens,
        generatedTokens: this.usage.generatedTokens + generatedTokens,
      };
    } else if (event.type === 'tool_call') {
      this.#calls.set(event.id, { name: event.name, arguments: event.arguments });
    } else if (event.type === 'tool_result' || event.type === 'tool_error') {
      const made = this.#calls.get(event.id) ?? { name: event.name, arguments: {} };
      const end = event.type === 'tool_result' ? { result: event.text } : { error: event.message };
      this.#calls.set(event.id, { ...made, ...end });
    }
  }
}
