import { Worker } from 'node:worker_threads';
import { byteLetters } from '../tokens/byte-letters.ts';
import type { GrammarEngine, GrammarMatcher, GrammarVocabulary, NextTokens } from './grammar-engine.ts';
import type { VocabularyMessage } from './grammar-matching.ts';
import type { GrammarReply, GrammarRequest } from './grammar-worker.ts';

/** A schema may be written so that its grammar takes hours. */
const LIMIT_MS = 30_000;

export interface GrammarThreadOptions {
  /** The compiled worker. Default: the one beside this file. */
  readonly worker?: URL;
  /** For one answer, a compilation included. Default 30 s. */
  readonly limitMs?: number;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Ask = GrammarRequest extends infer One ? (One extends GrammarRequest ? Omit<One, 'id'> : never) : never;

/**
 * xgrammar in a worker thread, started when it is first asked. It keeps the process alive only while it owes an answer. An answer that takes
 * too long, or a thread that breaks, ends it for good: every later question is rejected.
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

  async begin(grammar: string, texts: readonly string[]) {
    const begun = await this.#ask({ op: 'begin', grammar, texts });
    const { matcher, accepted } = begun as { matcher: number; accepted: number };
    return { matcher: this.#matcher(matcher), accepted };
  }

  async close(): Promise<void> {
    await this.#end(new Error('the grammar engine is closed'));
  }

  #matcher(matcher: number): GrammarMatcher {
    return {
      accept: ids => this.#ask({ op: 'accept', matcher, ids }) as Promise<number>,
      next: () => this.#ask({ op: 'next', matcher }) as Promise<NextTokens>,
      // Of a thread that has ended nothing is left to close.
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
      // The program's own may be about its source.
      execArgv: [],
    });
    worker.on('message', (reply: GrammarReply) => {
      const waiting = this.#waiting.get(reply.id);
      // An answer that comes while the thread is ended: unref now would let the process go in the middle of the wait.
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
