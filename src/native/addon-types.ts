import type { SamplingNumbers } from '../text/sampling/fields.ts';

/**
 * The whole native surface. Nothing else crosses the boundary: ids, numbers, short strings, typed events in
 * batches. Tensors never enter JavaScript. One native thread owns MLX; every call here only queues work for it.
 */

/** Element type of a stored tensor: safetensors names, and ggml names for GGUF blocks. */
export type StoredDtype = 'F32' | 'F16' | 'BF16' | 'U32' | 'U8' | 'I32' | GgmlBlockType;
export type GgmlBlockType = 'Q4_0' | 'Q4_1' | 'Q5_0' | 'Q5_1' | 'Q8_0' | 'Q4_K' | 'Q5_K' | 'Q6_K';

/** One tensor in a weight file. The reader in `src/model` has checked that ranges lie inside the file and do not overlap. */
export interface TensorEntry {
  readonly name: string;
  readonly dtype: StoredDtype;
  /** Outermost dimension first (PyTorch order, for GGUF too). */
  readonly shape: readonly number[];
  /** Index into `WeightFiles.files`. */
  readonly file: number;
  /** Byte offset from the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface WeightFiles {
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly tensors: readonly TensorEntry[];
}

export interface AdapterSpec {
  readonly weights: WeightFiles;
  /** y = Wx + scale * (x A) B, with tensors MODULE.lora_a and MODULE.lora_b. */
  readonly scale: number;
  /** false: A is [in, rank] and B [rank, out], as MLX has them; true: [rank, in] and [out, rank], as PEFT does. */
  readonly transposed: boolean;
}

export interface LoadSpec {
  /**
   * config.json as parsed (Hugging Face names). For a GGUF file: the same keys made from its metadata, with
   * Hugging Face tensor names in `weights`.
   */
  readonly config: Readonly<Record<string, unknown>>;
  readonly weights: WeightFiles;
  /** The rows of q and k are permuted, as llama.cpp does for llama and granite. */
  readonly gguf: boolean;
  /** Added to every tensor named `*norm.weight`; default 0. Gemma's GGUF files hold 1 + w. */
  readonly normShift?: number;
  /** All of them are added to the weights. */
  readonly adapters: readonly AdapterSpec[];
  /** How float matrices are packed while they are read; routers and vectors stay as they are. */
  readonly quantize?: { readonly mode: string; readonly bits: number; readonly groupSize: number };
  /** An empty folder that gets what was loaded, as shard-1.safetensors, shard-2.safetensors and so on. */
  readonly saveTo?: string;
  /** Tokens; 0 = the model's own maximum, to which more is lowered. A longer prompt is refused with code CONTEXT_FULL. */
  readonly contextLength: number;
  /** 4 or 8: keys and values are quantized to so many bits; 0: they are not. */
  readonly kvBits: number;
  /** The CPU multiplies weights by float32 activations, not by rounded ones. Default: false. */
  readonly exact?: boolean;
  /** Bytes for the caches of several conversations; 0 (default): that of the last one is kept, whatever its size. */
  readonly cacheBytes?: number;
}

export interface LoadProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface ModelInfo {
  readonly modelType: string;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly vocabSize: number;
  /** Tokens. */
  readonly contextLength: number;
  readonly parameters: number;
  readonly weightBytes: number;
  /** 'cpu' or 'gpu' with the device's name. */
  readonly device: string;
  /** False: every prefix can be reused, so that `checkpoints` have no effect. */
  readonly wantsCheckpoints: boolean;
}

/** With every sampling field but `stop`, which is text; ranges as in `SAMPLING_FIELDS`. */
export interface NativeRequest extends SamplingNumbers {
  readonly promptIds: Int32Array;
  /** >= 1; generation also ends when the context is full. */
  readonly maxTokens: number;
  /** Added to the logits of these tokens, first of all. */
  readonly logitBiasIds: Int32Array;
  readonly logitBias: Float32Array;
  /** Unsigned 32 bit. */
  readonly seed: number;
  /** Generation ends before emitting one of these. Empty = never. */
  readonly stopIds: Int32Array;
  /** Number of top log-probabilities per token, 0..20; -1 = none, not even the chosen token's. */
  readonly logprobs: number;
  /** Prompt tokens per step, between which a cancel is seen; 0 = what suits the device. */
  readonly prefillChunk: number;
  /** Prompt lengths, 1 to that of the prompt, to which a later prompt may have to go back. */
  readonly checkpoints: Int32Array;
  /** Compute the whole prompt and give the log-probability of each of its tokens but the first; default false. */
  readonly promptLogprobs?: boolean;
  /** Count and time what the host does for a decoding step; default false. */
  readonly measureGraph?: boolean;
  /** A bit for each token, the lowest of a byte first: which of them may be the first. Default: all. */
  readonly allowedFirst?: Uint8Array;
  /**
   * The last so many of `promptIds` were generated before: penalties count them so, and random numbers are those that
   * would have followed. Default 0.
   */
  readonly continued?: number;
}

/** Decoding steps as the host sees them. Microseconds of the model thread's processor time, a value for each step. */
export interface NativeGraph {
  /** Operations of a step. */
  readonly primitives: number;
  readonly buildMicroseconds: Float32Array;
  /** Handing the built graph over for evaluation. */
  readonly submitMicroseconds: Float32Array;
}

export interface NativeTimings {
  /** Milliseconds from the start of the job to the first token. */
  readonly firstTokenMs: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

export type NativeEvent =
  | { readonly type: 'prefill'; readonly done: number; readonly total: number; readonly cached: number }
  | {
      readonly type: 'token';
      readonly id: number;
      /** Natural log of the probability before bias, penalties, temperature and truncation. */
      readonly logprob?: number;
      readonly topIds?: Int32Array;
      readonly topLogprobs?: Float32Array;
    }
  | {
      readonly type: 'end';
      /** `full`: the context is full. */
      readonly reason: 'stop' | 'length' | 'full' | 'cancelled';
      readonly promptTokens: number;
      /** Prompt tokens taken from the live KV cache. */
      readonly cachedTokens: number;
      readonly generatedTokens: number;
      readonly timings: NativeTimings;
      /** If asked for, and the prompt has more than one token. */
      readonly promptLogprobs?: Float32Array;
      /** If asked for. */
      readonly graph?: NativeGraph;
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

export interface NativeSavedCache {
  readonly tokens: number;
  readonly bytes: number;
}

export interface NativeModel {
  readonly info: ModelInfo;
  /**
   * Queues a job. `onReady` is called on the JS thread whenever the job's empty event queue gets events; it may
   * be called spuriously. The queue is bounded: while it is full the model thread waits. Returns the job's id.
   * Throws when 64 jobs are already waiting, or the model is closed.
   */
  start(request: NativeRequest, onReady: () => void): number;
  /** Takes all events waiting. After `end` or `error` the job is gone and this returns []. */
  take(job: number): NativeEvent[];
  /** Ends the job within one step; an `end` event with reason `cancelled` follows. No effect on a finished job. */
  cancel(job: number): void;
  /**
   * Writes the live cache to `path`, after what was queued before: a safetensors file that is there whole or not at
   * all. Rejects with CACHE if it cannot be written or holds no tokens.
   */
  saveCache(path: string, modelHash: string): Promise<NativeSavedCache>;
  /**
   * Takes over a saved cache, after what was queued before. Its header and hash must have been checked. Rejects with
   * CACHE or MODEL_BROKEN if it does not fit the model, which then keeps what it has.
   */
  loadCache(file: WeightFiles): Promise<NativeSavedCache>;
  /** Cancels all jobs and frees the weights. Idempotent. */
  close(): Promise<void>;
}

/**
 * How the engine holds weights: 'stored' as they are in the files (GPU), 'float32' with every float, scale and bias in
 * float32 (CPU, exact), 'packed' in blocks of rows for the fast kernels, with floats and scales in 16 bits where the
 * files have no more (CPU).
 */
export type WeightLayout = 'stored' | 'float32' | 'packed';

export interface NativeAddon {
  readonly versions: {
    /** MLX the addon was compiled against. */
    readonly mlxBuilt: string;
    /** MLX found at load. */
    readonly mlxLoaded: string;
  };
  /** Resolves or rejects once, with an Error that has a `code` of ErrorCode. */
  load(spec: LoadSpec, onProgress: (p: LoadProgress) => void): Promise<NativeModel>;
  /** That of a model loaded with this `exact`, on this machine and with the kernels chosen by the environment. */
  weightLayout(exact: boolean): WeightLayout;
  /** Bytes held by MLX. */
  memory(): { readonly activeBytes: number; readonly peakBytes: number; readonly cacheBytes: number };
  /** Cancels everything and joins the model thread. Called from process.on('exit'); afterwards nothing works. */
  shutdown(): void;
}
