import type { EngineEvent, GenerateResult, TokenEvent } from '../../src/engine/engine.ts';
import { type EngineJob, type JobEngine, type JobEngineInfo, tokensOf } from '../../src/engine/engine-job.ts';
import type { TextStream } from '../../src/tokens/tokenizer-types.ts';

const encoder = new TextEncoder();

/** Tokens are the 256 bytes, then `extra`, then the one that ends a reply. */
export class ByteTokenizer {
  readonly extra: readonly string[];

  constructor(extra: readonly string[] = []) {
    this.extra = extra;
  }

  get stop(): number {
    return 256 + this.extra.length;
  }

  bytesOf(id: number): Uint8Array {
    return id < 256 ? Uint8Array.of(id) : encoder.encode(this.extra[id - 256] ?? '');
  }

  /** The longest tokens first. */
  encode(text: string): number[] {
    const ids: number[] = [];
    for (let rest = text; rest !== ''; ) {
      const long = this.extra.filter(token => rest.startsWith(token)).sort((a, b) => b.length - a.length)[0];
      const piece = long ?? (Array.from(rest)[0] as string);
      if (long !== undefined) ids.push(256 + this.extra.indexOf(long));
      else ids.push(...encoder.encode(piece));
      rest = rest.slice(piece.length);
    }
    return ids;
  }

  encodeSegments = (segments: readonly { readonly text: string }[]): number[] =>
    segments.flatMap(({ text }) => this.encode(text));

  stream = (): TextStream => {
    const decoder = new TextDecoder();
    return {
      push: id => decoder.decode(this.bytesOf(id), { stream: true }),
      end: () => decoder.decode(),
    };
  };

  decode(ids: readonly number[]): string {
    const stream = this.stream();
    return ids.map(id => stream.push(id)).join('') + stream.end();
  }
}

/** What the model would say behind a text: tokens in the order of its wish; none of them: the end. */
export type Wish = (text: string) => readonly string[];

/** How likely the next token was to the model that said the text. */
export type Sureness = (text: string) => number;

/** Says what it wishes, keeps to what may come first, and notes how it was asked. */
export class WishingEngine implements JobEngine {
  readonly info: JobEngineInfo = {
    name: 'wishing',
    modelType: 'wishing',
    contextLength: 4096,
    vocabSize: 0,
    parameters: 0,
    weightBytes: 0,
    device: 'none',
    wantsCheckpoints: false,
  };
  readonly requests: EngineJob[] = [];
  /** Runs that are over, however they ended. */
  left = 0;
  readonly #tokenizer: ByteTokenizer;
  readonly #wish: Wish;
  readonly #minds: boolean;
  readonly #sure: Sureness;

  constructor(tokenizer: ByteTokenizer, wish: Wish, { minds = true, sure = (() => 1) as Sureness } = {}) {
    this.#tokenizer = tokenizer;
    this.#wish = wish;
    this.#minds = minds;
    this.#sure = sure;
    this.info = { ...this.info, vocabSize: tokenizer.stop + 1 };
  }

  generate(request: EngineJob): AsyncGenerator<TokenEvent, GenerateResult> {
    return tokensOf(this.events(request));
  }

  async *events(request: EngineJob): AsyncGenerator<EngineEvent, GenerateResult> {
    this.requests.push(request);
    try {
      return yield* this.#run(request);
    } finally {
      this.left += 1;
    }
  }

  async *#run(request: EngineJob): AsyncGenerator<EngineEvent, GenerateResult> {
    const { continued = 0, maxTokens = 100 } = request;
    const prompt = Array.from(request.promptIds);
    yield { type: 'prefill', done: prompt.length, total: prompt.length, cached: 0 };
    const said = prompt.slice(prompt.length - continued);
    const result = (
      finishReason: GenerateResult['finishReason'],
      generatedTokens: number,
    ): GenerateResult => ({
      finishReason,
      generatedTokens,
      promptTokens: prompt.length,
      cachedTokens: 0,
      timings: { firstTokenMs: 1, prefillMs: 1, decodeMs: 1 },
    });
    for (let count = 0; count < maxTokens; count++) {
      if (request.signal?.aborted) return result('cancelled', count);
      const text = this.#tokenizer.decode(said);
      const id = this.#choose(text, count === 0 ? request.allowedFirst : undefined);
      if (id === this.#tokenizer.stop) return result('stop', count);
      said.push(id);
      const logprob = Math.log(this.#sure(text));
      yield { type: 'token', token: { id, text: '', ...(request.logprobs !== undefined && { logprob }) } };
    }
    return result('length', maxTokens);
  }

  #choose(text: string, allowed: Uint8Array | undefined): number {
    const { stop } = this.#tokenizer;
    const may = (id: number) =>
      !allowed || !this.#minds || (((allowed[id >> 3] as number) >> (id & 7)) & 1) === 1;
    const wishes = this.#wish(text).map(token => this.#tokenizer.encode(token)[0] as number);
    // Anything but whitespace, which would go on for long.
    const others = Array.from({ length: stop }, (_, index) => stop - 1 - index);
    return (
      [...wishes, ...(wishes.length === 0 || allowed ? [stop] : []), ...(allowed ? others : [])].find(may) ??
      stop
    );
  }

  async close(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Says `plan` letter by letter; where it had to say something else, it goes on with the plan's part behind that. */
export function planned(plan: string, otherwise: Wish = () => []): Wish {
  return text => (plan.startsWith(text) ? [...plan.slice(text.length)].slice(0, 1) : otherwise(text));
}
