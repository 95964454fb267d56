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
 * pending. A request that takes too long, or a crash, ends the thread with everything in it; the next request starts
 * another one.
 */
export class GrammarThread implements GrammarEngine {
  readonly #vocabulary: GrammarVocabulary;
  readonly #options: GrammarThreadOptions;
  #run: GrammarRun | undefined;
  #closed = false;

  constructor(vocabulary: GrammarVocabulary, options: GrammarThreadOptions = {}) {
    this.#vocabulary = vocabulary;
    this.#options = options;
  }

  async prepare(grammar: string): Promise<void> {
    await this.#current().ask({ op: 'prepare', grammar });
  }

  async start(grammar: string, texts: readonly string[]) {
    const run = this.#current();
    const started = await run.ask({ op: 'start', grammar, texts });
    const { matcher, accepted } = started as { matcher: number; accepted: number };
    return { matcher: matcherOf(run, matcher), accepted };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#run?.end(closed());
  }

  #current(): GrammarRun {
    if (this.#closed) throw closed();
    if (!this.#run || this.#run.ended) this.#run = new GrammarRun(this.#vocabulary, this.#options);
    return this.#run;
  }
}

const closed = () => new Error('the grammar engine is closed');

function matcherOf(run: GrammarRun, matcher: number): GrammarMatcher {
  return {
    accept: ids => run.ask({ op: 'accept', matcher, ids }) as Promise<number>,
    next: () => run.ask({ op: 'next', matcher }) as Promise<NextTokens>,
    // A thread that has ended has nothing left to close.
    close: () => void run.ask({ op: 'close', matcher }).catch(() => undefined),
  };
}

/** One such thread from its start to its end. */
class GrammarRun {
  readonly #limitMs: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #worker: Worker;
  #broken: Error | undefined;
  #count = 0;

  constructor(vocabulary: GrammarVocabulary, { worker: file, limitMs = LIMIT_MS }: GrammarThreadOptions) {
    this.#limitMs = limitMs;
    const worker = new Worker(file ?? new URL('./grammar-worker.js', import.meta.url), {
      workerData: vocabularyMessage(vocabulary),
      // Flags of this process may be about running from source.
      execArgv: [],
    });
    worker.on('message', (reply: GrammarReply) => this.#settle(reply));
    worker.on('error', error => void this.end(error));
    worker.on('exit', () => void this.end(new Error('the grammar thread ended')));
    this.#worker = worker;
  }

  get ended(): boolean {
    return this.#broken !== undefined;
  }

  ask(request: Ask): Promise<unknown> {
    if (this.#broken) return Promise.reject(this.#broken);
    this.#count += 1;
    const id = this.#count;
    return new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        void this.end(new Error(`the grammar was not ready after ${this.#limitMs / 1000} s`));
      }, this.#limitMs);
      const settle = <T>(end: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          end(value);
        };
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#worker.ref();
      this.#worker.postMessage({ id, ...request } satisfies GrammarRequest);
    });
  }

  async end(reason: Error): Promise<void> {
    this.#broken ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#broken);
    this.#waiting.clear();
    // Waiting for its end must keep the process alive.
    this.#worker.ref();
    await this.#worker.terminate();
  }

  #settle(reply: GrammarReply): void {
    const waiting = this.#waiting.get(reply.id);
    // A response that arrives while the thread is being stopped: unref now would let the process exit during the
    // wait.
    if (!waiting) return;
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.ok) waiting.resolve(reply.value);
    else waiting.reject(new Error(reply.message));
  }
}

function vocabularyMessage({ size, bytesOf, stopIds }: GrammarVocabulary): VocabularyMessage {
  const letters = byteLetters();
  const tokens = Array.from({ length: size }, (_, id) =>
    Array.from(bytesOf(id) ?? [], byte => letters[byte]).join(''),
  );
  return { tokens, stopIds };
}
