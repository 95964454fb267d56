import type { NativeGraph, NativeTimings } from '../native/addon-types.ts';
import type { Sampling } from '../text/sampling/fields.ts';

/**
 * What a model can be asked to generate. Every field but `promptIds` has a default. Sampling follows Hugging Face's
 * order: bias, repetition, presence and frequency penalty, temperature, top-k, top-p, min-p. The repetition penalty
 * covers the prompt and the reply, the presence and the frequency penalty the reply alone.
 */
export interface GenerateRequest extends Omit<Sampling, 'stop'> {
  readonly promptIds: ArrayLike<number>;
  /** Default: the model's own stop ids. */
  readonly stopIds?: readonly number[];
  /** Go on past stop ids (for measuring). Default false. */
  readonly ignoreEos?: boolean;
  /** Top log-probabilities per token, 0..20. Default: none. */
  readonly logprobs?: number;
  /** Prompt tokens per step, between which an abort is seen. Default: what suits the device. */
  readonly prefillChunk?: number;
  /**
   * Lengths of the prompt's beginnings that later prompts are likely to share, such as the ends of messages. Models
   * that cannot go back to any token keep their state there (the latest few); others do not need them.
   */
  readonly checkpoints?: readonly number[];
  /**
   * Score the prompt: the result gets the log-probability of each of its tokens but the first. The whole prompt is
   * computed, whatever the cache holds. Default false.
   */
  readonly promptLogprobs?: boolean;
  /** For measuring: the result tells what the host did for each decoding step. Default false. */
  readonly measureGraph?: boolean;
  /** A bit for each token of the vocabulary, the lowest of a byte first: which may be the first. Default: all. */
  readonly allowedFirst?: Uint8Array;
  /**
   * The last so many of `promptIds` were generated before, in a generation that this one goes on with: with the same
   * seed and options it says what that one would have said. Default 0.
   */
  readonly continued?: number;
  readonly signal?: AbortSignal;
  /** Called by `generate` as the prompt is read; `events` yields the same progress instead. */
  readonly onPrefill?: (progress: PrefillProgress) => void;
}

/** Prompt tokens read so far, of how many, and how many of them came from the KV cache. */
export interface PrefillProgress {
  readonly done: number;
  readonly total: number;
  readonly cached: number;
}

export interface TokenEvent {
  readonly id: number;
  /** Text completed by this token; '' in the middle of a character. */
  readonly text: string;
  /** Natural log of the probability before bias, penalties, temperature and truncation. */
  readonly logprob?: number;
  readonly topLogprobs?: readonly { readonly id: number; readonly logprob: number }[];
}

export type EngineEvent =
  | ({ readonly type: 'prefill' } & PrefillProgress)
  | { readonly type: 'token'; readonly token: TokenEvent };

export type FinishReason = 'stop' | 'length' | 'full' | 'cancelled';

export interface GenerateResult {
  readonly finishReason: FinishReason;
  readonly promptTokens: number;
  /** Prompt tokens that were taken from the KV cache instead of computed. */
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly timings: NativeTimings;
  /** Natural logs of the probabilities of the prompt's tokens from the second on, if asked for. */
  readonly promptLogprobs?: Float32Array;
  readonly graph?: NativeGraph;
}

export interface EngineInfo {
  readonly name: string;
  readonly modelType: string;
  /** Tokens. */
  readonly contextLength: number;
  readonly vocabSize: number;
  readonly parameters: number;
  readonly weightBytes: number;
  readonly device: string;
  /** False: `checkpoints` have no effect, since every prefix can be reused. */
  readonly wantsCheckpoints: boolean;
}

/** A loaded model. Generations run one after another, in the order of the calls. */
export interface Engine extends AsyncDisposable {
  readonly info: EngineInfo;
  /** Yields tokens and returns the result; an engine failure throws LlmHostError. */
  generate(request: GenerateRequest): AsyncGenerator<TokenEvent, GenerateResult>;
  /** The same generation with the progress of the prefill in the stream. */
  events(request: GenerateRequest): AsyncGenerator<EngineEvent, GenerateResult>;
  /** Cancels what runs and frees the model. Idempotent. */
  close(): Promise<void>;
}

export interface SavedCache {
  /** Tokens whose keys, values and states the file holds. */
  readonly tokens: number;
  readonly bytes: number;
}

/** A model in this process, whose cache can outlive it. */
export interface LocalEngine extends Engine {
  /**
   * Writes what the cache holds to one safetensors file, after the generations that were asked for before. The file
   * is there whole or not at all; an older one is replaced. Checkpoints are not in it: a model that wants them goes on
   * from the end of what was saved, and reads a prompt that parts from it earlier anew.
   * @throws LlmHostError CACHE: there is nothing to save, or the file cannot be written.
   */
  saveCache(path: string): Promise<SavedCache>;
  /**
   * Takes over a saved cache in place of the present one, so that a prompt that begins with the same tokens reuses
   * it. @throws LlmHostError CACHE: the file is broken, of another version, of another model, or does not fit; the
   * present cache stays.
   */
  loadCache(path: string): Promise<SavedCache>;
}
