import { Worker } from 'node:worker_threads';
import { byteLetters } from '../tokens/byte-letters.ts';
import type { GrammarEngine, GrammarMatcher, GrammarVocabulary, NextTokens } from './grammar-engine.ts';
import type { VocabularyMessage } from './grammar-matching.ts';
import type { GrammarReply, GrammarRequest } from './grammar-worker.ts';

/** A hostile schema can take hours to compile. */
const LIMIT_MS = 30_000;

export interface GrammarThreadOptions {
  /** The compiled worker. Default: the one next to this file. */
  readonly worker?: URL;
  /** Milliseconds per request, including compilation. Default 30 s. */
  readonly limitMs?: number;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Ask = GrammarRequest extends infer One ? (One extends GrammarRequest ? Omit<One, 'id'> : never) : never;

/**
 * xgrammar in a worker thread, which starts on the first request and keeps the process alive only while a request is
 * pending. A request that takes too long, or a crash, ends the thread for good: all later requests are rejected.
 */
export class GrammarThread implements GrammarEngine {
  readonly #vocabulary: GrammarVocabulary;
  readonly #options: GrammarThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #broken: Error | undefined;
  #count = 0;

  constructor(vocabulary: GrammarVocabulary, options: GrammarThreadOptions = {}) {
    this.#vocabulary = vocabulary;
    this.#options = options;
  }

  async prepare(grammar: string): Promise<void> {
    await this.#ask({ op: 'prepare', grammar });
  }

  async start(grammar: string, texts: readonly string[]) {
    const started = await this.#ask({ op: 'start', grammar, texts });
    const { matcher, accepted } = started as { matcher: number; accepted: number };
    return { matcher: this.#matcher(matcher), accepted };
  }

  async close(): Promise<void> {
    await this.#end(new Error('the grammar engine is closed'));
  }

  #matcher(matcher: number): GrammarMatcher {
    return {
      accept: ids => this.#ask({ op: 'accept', matcher, ids }) as Promise<number>,
      next: () => this.#ask({ op: 'next', matcher }) as Promise<NextTokens>,
      // A thread that has ended has nothing left to close.
      close: () => void this.#ask({ op: 'close', matcher }).catch(() => undefined),
    };
  }

  #ask(request: Ask): Promise<unknown> {
    if (this.#broken) return Promise.reject(this.#broken);
    const worker = this.#start();
    this.#count += 1;
    const id = this.#count;
    return new Promise<unknown>((resolve, reject) => {
      const limit = this.#options.limitMs ?? LIMIT_MS;
      const timer = setTimeout(() => {
        void this.#end(new Error(`the grammar was not ready after ${limit / 1000} s`));
      }, limit);
      const settle = <T>(end: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          end(value);
        };
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      worker.ref();
      worker.postMessage({ id, ...request } satisfies GrammarRequest);
    });
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#options.worker ?? new URL('./grammar-worker.js', import.meta.url), {
      workerData: vocabularyMessage(this.#vocabulary),
      // Flags of this process may be about running from source.
      execArgv: [],
    });
    worker.on('message', (reply: GrammarReply) => {
      const waiting = this.#waiting.get(reply.id);
      // A response that arrives while the thread is being stopped: unref now would let the process exit during the
      // wait.
      if (!waiting) return;
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0) worker.unref();
      if (reply.ok) waiting.resolve(reply.value);
      else waiting.reject(new Error(reply.message));
    });
    worker.on('error', error => void this.#end(error));
    worker.on('exit', () => void this.#end(new Error('the grammar thread ended')));
    this.#worker = worker;
    return worker;
  }

  async #end(reason: Error): Promise<void> {
    this.#broken ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#broken);
    this.#waiting.clear();
    // Waiting for its end must keep the process alive.
    this.#worker?.ref();
    await this.#worker?.terminate();
  }
}

function vocabularyMessage({ size, bytesOf, stopIds }: GrammarVocabulary): VocabularyMessage {
  const letters = byteLetters();
  const tokens = Array.from({ length: size }, (_, id) =>
    Array.from(bytesOf(id) ?? [], byte => letters[byte]).join(''),
  );
  return { tokens, stopIds };
}
