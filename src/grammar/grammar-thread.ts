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
  /** Milliseconds per request once its turn has come, including compilation. Default 30 s. */
  readonly limitMs?: number;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Ask = GrammarRequest extends infer One ? (One extends GrammarRequest ? Omit<One, 'id'> : never) : never;

/**
 * xgrammar in a worker thread, which starts on the first request and keeps the process alive only while a request is
 * pending. A request that takes too long, fails in the library or crashes ends the thread; all others, and the matchers
 * that were in it, go on in another one.
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
    await this.#ask({ op: 'prepare', grammar });
  }

  async start(grammar: string, texts: readonly string[]) {
    const start = () => this.#start(grammar, texts);
    const { accepted, ...place } = await start();
    return { matcher: new ThreadMatcher(place, start), accepted };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#run?.end(closed());
  }

  async #start(grammar: string, texts: readonly string[]) {
    const { run, value } = await this.#ask({ op: 'start', grammar, texts });
    return { run, ...(value as { readonly matcher: number; readonly accepted: number }) };
  }

  /** Asks what needs no matcher. */
  async #ask(request: Ask): Promise<{ readonly run: GrammarRun; readonly value: unknown }> {
    while (true) {
      const run = this.#current();
      try {
        return { run, value: await run.ask(request) };
      } catch (error) {
        if (!(error instanceof NotItsTurn)) throw error;
      }
    }
  }

  #current(): GrammarRun {
    if (this.#closed) throw closed();
    if (!this.#run || this.#run.ended) this.#run = new GrammarRun(this.#vocabulary, this.#options);
    return this.#run;
  }
}

const closed = () => new Error('the grammar engine is closed');

/** The thread has ended because of another request, before it came to this one. */
class NotItsTurn extends Error {}

/** Where a matcher is. */
interface Place {
  readonly run: GrammarRun;
  readonly matcher: number;
}

/** A matcher that another thread follows from its start again where its own has ended because of others. */
class ThreadMatcher implements GrammarMatcher {
  #place: Place;
  readonly #start: () => Promise<Place>;
  readonly #accepted: number[] = [];

  constructor(place: Place, start: () => Promise<Place>) {
    this.#place = place;
    this.#start = start;
  }

  async accept(ids: readonly number[]): Promise<number> {
    const count = await this.#ask(({ run, matcher }) => run.ask({ op: 'accept', matcher, ids }));
    this.#accepted.push(...ids.slice(0, count as number));
    return count as number;
  }

  async next(): Promise<NextTokens> {
    return (await this.#ask(({ run, matcher }) => run.ask({ op: 'next', matcher }))) as NextTokens;
  }

  close(): void {
    const { run, matcher } = this.#place;
    // A thread that has ended has nothing left to close.
    run.ask({ op: 'close', matcher }).catch(() => undefined);
  }

  async #ask(body: (place: Place) => Promise<unknown>): Promise<unknown> {
    while (true) {
      try {
        if (this.#place.run.ended) await this.#follow();
        return await body(this.#place);
      } catch (error) {
        if (!(error instanceof NotItsTurn)) throw error;
      }
    }
  }

  async #follow(): Promise<void> {
    const place = await this.#start();
    await place.run.ask({ op: 'accept', matcher: place.matcher, ids: this.#accepted });
    this.#place = place;
  }
}

/** One such thread from its start to its end. */
class GrammarRun {
  readonly #limitMs: number;
  /** In the order in which the thread answers them. */
  readonly #waiting = new Map<number, Waiting>();
  readonly #worker: Worker;
  #limit: NodeJS.Timeout | undefined;
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
    if (this.#broken) return Promise.reject(new NotItsTurn(this.#broken.message));
    this.#count += 1;
    const id = this.#count;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (this.#waiting.size === 1) this.#limitFirst();
      this.#worker.ref();
      this.#worker.postMessage({ id, ...request } satisfies GrammarRequest);
    });
  }

  /** Whose turn it is answers for the end; those behind it may be asked again elsewhere. */
  async end(reason: Error): Promise<void> {
    this.#broken ??= reason;
    const [first, ...others] = this.#waiting.values();
    this.#waiting.clear();
    this.#limitFirst();
    first?.reject(this.#broken);
    for (const { reject } of others) reject(new NotItsTurn(this.#broken.message));
    // Waiting for its end must keep the process alive.
    this.#worker.ref();
    await this.#worker.terminate();
  }

  #settle(reply: GrammarReply): void {
    const waiting = this.#waiting.get(reply.id);
    // A response that arrives while the thread is being stopped: unref now would let the process exit during the
    // wait.
    if (!waiting) return;
    if (!reply.ok && reply.broken) {
      void this.end(new Error(reply.message));
      return;
    }
    this.#waiting.delete(reply.id);
    this.#limitFirst();
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.ok) waiting.resolve(reply.value);
    else waiting.reject(new Error(reply.message));
  }

  /** The limit is that of the request whose turn it is. */
  #limitFirst(): void {
    clearTimeout(this.#limit);
    if (this.#waiting.size === 0) return;
    this.#limit = setTimeout(() => {
      void this.end(new Error(`the grammar was not ready after ${this.#limitMs / 1000} s`));
    }, this.#limitMs);
  }
}

function vocabularyMessage({ size, bytesOf, stopIds }: GrammarVocabulary): VocabularyMessage {
  const letters = byteLetters();
  const tokens = Array.from({ length: size }, (_, id) =>
    Array.from(bytesOf(id) ?? [], byte => letters[byte]).join(''),
  );
  return { tokens, stopIds };
}
