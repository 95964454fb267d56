import type { TokenSampling } from '../text/sampling/fields.ts';
import type { DecodingStats } from './decoding-stats.ts';

/**
 * A request for a generation. Every field but `promptIds` has a default. Sampling follows Hugging Face's
 * order: bias, repetition, presence and frequency penalty, temperature, top-k, top-p, min-p. The repetition penalty
 * covers the prompt and the reply, the presence and the frequency penalty the reply alone.
 */
export interface GenerateRequest extends TokenSampling {
  readonly promptIds: ArrayLike<number>;
  /** Default: the model's own stop ids. */
  readonly stopIds?: readonly number[];
  /** Ignore stop ids (for benchmarks). Default false. */
  readonly ignoreEos?: boolean;
  /** How many of the likeliest tokens to return with each, 0..20. Default: no log-probabilities at all. */
  readonly logprobs?: number;
  /**
   * Score the prompt: the result has the log-probability of each of its tokens but the first. The whole prompt is
   * computed, even if it is in the KV cache. Default false.
   */
  readonly promptLogprobs?: boolean;
  readonly signal?: AbortSignal;
  /** Called by `generate` as the prompt is read; `events` yields the same progress instead. */
  readonly onPrefill?: (progress: PrefillProgress) => void;
}

/** Prompt tokens read so far, in all, and from the KV cache. */
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

/** Milliseconds. */
export interface GenerateTimings {
  /** To the first token. */
  readonly firstTokenMs: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

/** `full`: the context is full. */
export type FinishReason = 'stop' | 'length' | 'full' | 'cancelled';

export interface GenerateResult {
  readonly finishReason: FinishReason;
  readonly promptTokens: number;
  /** Prompt tokens taken from the KV cache instead of computed. */
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly timings: GenerateTimings;
  /** Left out where the engine does not say. */
  readonly decoding?: DecodingStats;
  /** Natural logs of the probabilities of the prompt's tokens from the second on, if requested. */
  readonly promptLogprobs?: Float32Array;
}

export interface EngineInfo {
  readonly name: string;
  readonly modelType: string;
  /** Tokens. */
  readonly contextLength: number;
  readonly vocabSize: number;
  readonly parameters: number;
  readonly weightBytes: number;
  /** 'cpu' or 'gpu' with the device's name. */
  readonly device: string;
}

/** A loaded model. Generations run as many at once as it was loaded for; more wait, in the order of the calls. */
export interface Engine extends AsyncDisposable {
  readonly info: EngineInfo;
  /** Yields tokens and returns the result; an engine failure throws LlmHostError. */
  generate(request: GenerateRequest): AsyncGenerator<TokenEvent, GenerateResult>;
  /** Generates as `generate` does, with prefill progress in the stream. */
  events(request: GenerateRequest): AsyncGenerator<EngineEvent, GenerateResult>;
  /** Cancels running work and frees the model. Idempotent. */
  close(): Promise<void>;
}

export interface SavedCache {
  /** Tokens whose keys, values and states are in the file. */
  readonly tokens: number;
  readonly bytes: number;
}

/** A model in this process, whose KV cache can be saved. */
export interface LocalEngine extends Engine {
  /**
   * Writes the KV cache to a safetensors file, after all generations requested before. The write is atomic and
   * replaces an older file. Checkpoints are not saved: a model that needs them can continue from the end of what was
   * saved, but reads a prompt that branches off earlier from the start.
   * @throws LlmHostError CACHE: there is nothing to save, or the file cannot be written.
   */
  saveCache(path: string): Promise<SavedCache>;
  /**
   * Replaces the KV cache by a saved one, so that a prompt with the same first tokens reuses it.
   * @throws LlmHostError CACHE: the file is broken, of another version or model, or does not fit; the cache stays as
   * it was.
   */
  loadCache(path: string): Promise<SavedCache>;
}
