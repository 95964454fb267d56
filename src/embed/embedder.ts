import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Encoder, TextTokens } from '../engine/encoder.ts';
import { LlmHostError } from '../errors.ts';
import { limitedEncode } from '../tokens/encode-limit.ts';
import type { TextInput, TextReader } from './text-reader.ts';

export interface EmbedOptions {
  /** Numbers of a vector, from its first on: for models that were trained for it. Default: all. */
  readonly dimensions?: number | undefined;
  /** Scale vectors to length 1. Default true. */
  readonly normalize?: boolean | undefined;
  /** Cut texts that are longer than the model reads; else they are refused with CONTEXT_FULL. Default true. */
  readonly truncate?: boolean | undefined;
  /** The name of one of the model's prompts, to be put before the texts: `query`, `document`. Default: as the model says. */
  readonly prompt?: string | undefined;
  /** Cancels it. */
  readonly signal?: AbortSignal | undefined;
}

export interface Embedded {
  /** In the order of the texts. */
  readonly vectors: readonly Float32Array[];
  /** Tokens that were read, special ones included. */
  readonly tokens: number;
}

/** A document's place in a ranking. */
export interface Ranked {
  /** In the list that was given, from 0 on. */
  readonly index: number;
  readonly document: string;
  /** The cosine (-1 to 1) with an embedding model, the probability (0 to 1) with a reranker. */
  readonly score: number;
}

export interface RankOptions {
  /** How many of the best to return. Default: all. */
  readonly topK?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Ranking {
  /** The best first; equal ones in their order. */
  readonly ranked: readonly Ranked[];
  readonly tokens: number;
}

/** An embedder's parts besides its encoder. */
export interface EmbedderParts {
  readonly encoder: Encoder;
  readonly reader: TextReader;
  readonly kind: 'embedding' | 'classifier';
  readonly prompts: Readonly<Record<string, string>>;
  readonly defaultPrompt: string | undefined;
}

/** Texts that are tokenized at a time, while the model encodes those before: about 10 ms. */
const SLICE_TEXTS = 128;
const SLICE_UNITS = 64 * 1024;

/** Turns texts into vectors and ranks them. */
export class Embedder {
  readonly #parts: EmbedderParts;

  constructor(parts: EmbedderParts) {
    this.#parts = parts;
  }

  /** Numbers of a vector. */
  get dimensions(): number {
    return this.#parts.encoder.info.dimensions;
  }

  /** Whether it ranks by reading query and document together, and has no vectors. */
  get isReranker(): boolean {
    return this.#parts.kind === 'classifier';
  }

  /**
   * The vectors of texts, or of their tokens. The empty text has one too.
   * @throws LlmHostError USAGE, CONTEXT_FULL, CANCELLED, ENGINE, MODEL_BROKEN
   */
  async embed(texts: readonly TextInput[], options: EmbedOptions = {}): Promise<Embedded> {
    const { dimensions = this.dimensions, normalize = true, truncate, signal } = options;
    if (this.isReranker) throw this.#usage('scores pairs of texts and has no vectors; use it to rank');
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > this.dimensions)
      throw this.#usage(`gives vectors of 1 to ${this.dimensions} dimensions, not ${dimensions}`);
    const before = this.#prompt(options.prompt);
    const read = (index: number) => {
      const text = texts[index] as TextInput;
      const name = `input[${index}]`;
      return this.#parts.reader.read(typeof text === 'string' ? before + text : text, { truncate, name });
    };
    const vectors: Float32Array[] = [];
    const tokens = await this.#encode(
      texts.length,
      index => unitsOf(texts[index] as TextInput),
      read,
      signal,
      joined => vectors.push(...vectorsOf(joined, this.dimensions, { dimensions, normalize })),
    );
    return { vectors, tokens };
  }

  /** Orders documents by how well they answer the query. @throws LlmHostError as `embed` does */
  async rank(query: string, documents: readonly string[], options: RankOptions = {}): Promise<Ranking> {
    const { topK = documents.length, signal } = options;
    if (!Number.isInteger(topK) || topK < 0)
      throw new LlmHostError('USAGE', `topK must be an integer of at least 0`);
    const { scores, tokens } = this.isReranker
      ? await this.#scoresOfPairs(query, documents, signal)
      : await this.#cosines(query, documents, signal);
    const ranked = documents.map((document, index) => ({ index, document, score: scores[index] as number }));
    ranked.sort((a, b) => b.score - a.score);
    return { ranked: ranked.slice(0, topK), tokens };
  }

  /** Cancels what is under way and frees its memory. Idempotent. */
  close(): Promise<void> {
    return this.#parts.encoder.close();
  }

  async #cosines(query: string, documents: readonly string[], signal: AbortSignal | undefined) {
    const { prompts } = this.#parts;
    const named = (names: readonly string[]) => names.find(name => Object.hasOwn(prompts, name));
    const asked = await this.embed([query], { prompt: named(['query']), signal });
    const found = await this.embed(documents, { prompt: named(['document', 'passage']), signal });
    const [vector = new Float32Array()] = asked.vectors;
    return {
      scores: found.vectors.map(other => product(vector, other)),
      tokens: asked.tokens + found.tokens,
    };
  }

  async #scoresOfPairs(query: string, documents: readonly string[], signal: AbortSignal | undefined) {
    if (this.dimensions !== 1) throw this.#usage(`has ${this.dimensions} labels; a reranker has one`);
    const scores: number[] = [];
    const tokens = await this.#encode(
      documents.length,
      index => query.length + (documents[index] as string).length,
      index => this.#parts.reader.readPair(query, documents[index] as string),
      signal,
      joined => scores.push(...Array.from(joined, sigmoid)),
    );
    return { scores, tokens };
  }

  /** Reads a slice while the model encodes the one before. -> tokens read */
  async #encode(
    count: number,
    units: (index: number) => number,
    readOne: (index: number) => TextTokens,
    signal: AbortSignal | undefined,
    keep: (joined: Float32Array) => void,
  ): Promise<number> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    let tokens = 0;
    let before: Promise<void> = Promise.resolve();
    try {
      for (let next = 0; next < count; await nextTurn()) {
        const slice = sliceFrom(next, count, units);
        // One limit for all of them: each costs as much as a short text.
        const read = limitedEncode(slice.units, () => slice.places.map(readOne));
        next += slice.places.length;
        tokens += read.reduce((sum, { ids }) => sum + ids.length, 0);
        const encoded = this.#parts.encoder.encode(read, stop.signal);
        const kept = Promise.all([encoded, before]).then(([joined]) => keep(joined));
        const earlier = before;
        before = kept;
        before.catch(() => undefined);
        await earlier;
      }
      await before;
      return tokens;
    } finally {
      abort();
      signal?.removeEventListener('abort', abort);
    }
  }

  #prompt(name: string | undefined): string {
    const { prompts, defaultPrompt } = this.#parts;
    const wanted = name ?? defaultPrompt;
    if (wanted === undefined) return '';
    if (Object.hasOwn(prompts, wanted)) return prompts[wanted] as string;
    if (name === undefined) return '';
    const known = Object.keys(prompts);
    const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
    throw this.#usage(`has no prompt '${name}'; ${has}`);
  }

  #usage(what: string): LlmHostError {
    return new LlmHostError('USAGE', `${this.#parts.encoder.info.name} ${what}`);
  }
}

/** The places of texts to read at a time, from `first` on, and their UTF-16 units as far as those are read. */
function sliceFrom(first: number, count: number, unitsAt: (index: number) => number) {
  const places: number[] = [];
  let units = 0;
  for (let at = first; at < count && places.length < SLICE_TEXTS && units < SLICE_UNITS; at++) {
    places.push(at);
    units += Math.min(unitsAt(at), SLICE_UNITS);
  }
  return { places, units };
}

function unitsOf(text: TextInput): number {
  return text.length;
}

/** The first `dimensions` numbers of each of the vectors that stand one after the other, scaled to length 1 if asked. */
function vectorsOf(
  joined: Float32Array,
  width: number,
  { dimensions, normalize }: { readonly dimensions: number; readonly normalize: boolean },
): Float32Array[] {
  return Array.from({ length: joined.length / width }, (_, index) => {
    const vector = joined.slice(index * width, index * width + dimensions);
    return normalize ? scaled(vector) : vector;
  });
}

/** In place. A vector of zeros stays one. */
function scaled(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length === 0) return vector;
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
  return vector;
}

/** The cosine of the angle between vectors of length 1. */
function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
