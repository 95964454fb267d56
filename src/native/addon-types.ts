import type { SamplingNumbers } from '../text/sampling/fields.ts';
import type { LoadProgress, LoadSpec, WeightFiles } from './load-types.ts';

/**
 * The whole native surface. Nothing else crosses the boundary: ids, numbers, short strings, typed events in
 * batches. Tensors never enter JavaScript. One native thread owns MLX; every call here only queues work for it.
 */

export interface ModelInfo {
  readonly modelType: string;
  readonly layers: number;
  /** Numbers per vector of an encoder. */
  readonly hiddenSize: number;
  readonly vocabSize: number;
  /** Tokens; of an encoder: of a text. */
  readonly contextLength: number;
  readonly parameters: number;
  readonly weightBytes: number;
  /** 'cpu' or 'gpu' with the device's name. */
  readonly device: string;
  /** False: every prefix can be reused, so `checkpoints` have no effect. */
  readonly wantsCheckpoints: boolean;
  /** As the model was loaded. */
  readonly adaptersOptional: boolean;
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
  /** Samples the same tokens whatever was cached and whatever else is running; default false. */
  readonly reproducible?: boolean;
  /** With the model's adapters; false only where they are optional. Default true. */
  readonly adapted?: boolean;
  /**
   * Propose tokens by what followed the same words earlier in the prompt or reply, and verify several in one pass: where
   * that is expected to pay. The tokens are the same. Default false.
   */
  readonly lookup?: boolean;
  /** Proposes tokens whether or not something was found, for tests. Default false. */
  readonly lookupAlways?: boolean;
  /** Generation ends before emitting one of these. Empty = never. */
  readonly stopIds: Int32Array;
  /** Number of top log-probabilities per token, 0..20; -1 = none, not even the chosen token's. */
  readonly logprobs: number;
  /** Prompt tokens per step; a cancel takes effect between steps. 0 = the device's default. */
  readonly prefillChunk: number;
  /** Prefix lengths, 1 to the prompt's, that a later prompt may have to return to. */
  readonly checkpoints: Int32Array;
  /** Compute the whole prompt and return the log-probability of each token but the first; default false. */
  readonly promptLogprobs?: boolean;
  /** Count and time the host's work for a decoding step; default false. */
  readonly measureGraph?: boolean;
  /** A bit per token, lowest bit first: which tokens may come first. Default: all. */
  readonly allowedFirst?: Uint8Array;
  /** The token that a call begins with: it comes first only if it is as likely as `callConfidence`. Default: none. */
  readonly callStart?: number;
  readonly callConfidence: number;
  /**
   * This many of the last `promptIds` were generated before: penalties count them as such, and random numbers continue
   * as if generation had gone on. Default 0.
   */
  readonly continued?: number;
  /** Holds the prompt's first tokens; read if the live caches have fewer of them. Default: none. */
  readonly prefix?: NativeCacheFile;
}

/** A saved cache, whose header the caller has checked. */
export interface NativeCacheFile extends WeightFiles {
  /** The checksum of all tensors, as the addon wrote it. */
  readonly checksum: string;
}

/** The first tokens of a prompt, to be written to a file of at most about `maxBytes`. */
export interface NativePrefix {
  readonly ids: Int32Array;
  /** Only if they were computed so, and with adapters or without. */
  readonly reproducible: boolean;
  readonly adapted: boolean;
  readonly path: string;
  readonly modelHash: string;
  readonly maxBytes: number;
}

/** Texts for an encoder. */
export interface EncodeRequest {
  /** The tokens of all texts, one text after the other, with the special ones. */
  readonly ids: Int32Array;
  /** Tokens of each text, 1 to the model's `contextLength`. */
  readonly lengths: Int32Array;
  /** Each token's type: 0, or 1 in the second text of a pair. Default: 0. */
  readonly types?: Int32Array;
}

/** The host's work for decoding steps: microseconds of the model thread's CPU time, one value per step. */
export interface NativeGraph {
  /** Operations per step. */
  readonly primitives: number;
  /** The kernels that a GPU launches for them, by operation and type: 'Matmul bfloat16'. */
  readonly launches: Readonly<Record<string, number>>;
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

/** Time and counts of decoding. */
export interface NativeDecoding {
  /** Passes over the weights. */
  readonly passes: number;
  /** Sequences in all of these passes, this one included. */
  readonly sequences: number;
  /** Tokens proposed, and those of them that the reply has. */
  readonly proposed: number;
  readonly accepted: number;
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
      readonly decoding: NativeDecoding;
      /** Why the request's `prefix` cannot be used. */
      readonly prefixRefusal?: string;
      /** If requested, and the prompt has more than one token. */
      readonly promptLogprobs?: Float32Array;
      /** If requested. */
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
   * be called spuriously. The queue is bounded: while it is full the job rests and others go on. Returns the job's id.
   * Throws when 64 jobs are already waiting, or the model is closed.
   */
  start(request: NativeRequest, onReady: () => void): number;
  /**
   * Encodes texts; only of a model that is an encoder, which does nothing else. `onDone` is called once, on the JS thread,
   * with an error that has a `code` or with the vectors [texts, hiddenSize], as the model gives them: not scaled. Texts of
   * several requests may be computed together. Returns an id for `cancel`, after which the error is CANCELLED. Throws
   * when 1024 requests are already waiting, or the model is closed.
   */
  encode(request: EncodeRequest, onDone: (error: Error | undefined, vectors: Float32Array) => void): number;
  /** Takes all waiting events. After `end` or `error` the job is gone and this returns []. */
  take(job: number): NativeEvent[];
  /** Ends the job within one step; an `end` event with reason `cancelled` follows. No effect on a finished job. */
  cancel(job: number): void;
  /**
   * Writes the live cache to `path` once earlier jobs are done: a safetensors file, whole or not at all. Rejects with
   * CACHE if it cannot be written or holds no tokens.
   */
  saveCache(path: string, modelHash: string): Promise<NativeSavedCache>;
  /**
   * Writes the live keys and values of a prefix when the model has nothing else to do. Resolves with 0 tokens if they
   * are not in a cache any more; rejects with CACHE if the file cannot be written or would be too large.
   */
  savePrefix(prefix: NativePrefix): Promise<NativeSavedCache>;
  /**
   * Loads a saved cache once earlier jobs are done. The caller has checked its header and hash. Rejects with CACHE or
   * MODEL_BROKEN if it does not fit the model, which then keeps its present cache.
   */
  loadCache(file: NativeCacheFile): Promise<NativeSavedCache>;
  /** Cancels all jobs and frees the weights. Idempotent. */
  close(): Promise<void>;
}

/**
 * How the engine holds weights: 'stored' as they are in the files (GPU), 'float32' with every float, scale and bias in
 * float32 (CPU, exact), 'packed' in blocks of rows for the fast kernels, with floats and scales in 16 bits where the
 * files have no more (CPU).
 */
export type WeightLayout = 'stored' | 'float32' | 'packed';

/** The result of trying the device: a small example of every kind of kernel, compared with the CPU's. */
export interface DeviceReport {
  /** As in `ModelInfo`. */
  readonly device: string;
  /** Bytes, here and below; 0: the device does not say. Metal: what programs should keep on the device together. */
  readonly workingSetBytes: number;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** `error` is empty where the results are right. */
  readonly kernels: readonly { readonly name: string; readonly error: string }[];
}

/** Ends the process by SIGINT, SIGTERM or SIGHUP when JavaScript is blocked. One per process. */
export interface NativeWatchdog {
  /**
   * From now on such a signal ends the process with 128 and its number if the event loop does not turn for 2 s after it,
   * or for 0.25 s after a second one. Call it when Node listens for the signals, before the terminal's mode is changed.
   * `onKeys` gets what was typed on a raw terminal while JavaScript was blocked; Ctrl+C there counts as SIGINT. A second
   * call has no effect.
   */
  arm(onKeys: (keys: Buffer) => void): void;
  /** Whether the terminal that `arm` found shows what is typed. Show it again before the mode is changed otherwise. */
  echo(shown: boolean): void;
  /** While JavaScript waits for another program on purpose, signals and keys are left to it. */
  pause(paused: boolean): void;
  /** Ends the process with `code` in `ms` milliseconds, unless it has ended by itself. */
  endWithin(code: number, ms: number): void;
}

export interface NativeAddon {
  readonly versions: {
    /** MLX the addon was compiled against. */
    readonly mlxBuilt: string;
    /** MLX found at load. */
    readonly mlxLoaded: string;
  };
  /** Resolves or rejects once, with an Error that has a `code` of ErrorCode. */
  load(spec: LoadSpec, onProgress: (p: LoadProgress) => void): Promise<NativeModel>;
  /**
   * The layout of a model loaded with this `exact`, on this machine and with the kernels that the environment selects.
   */
  weightLayout(exact: boolean): WeightLayout;
  /** Bytes that a model with its caches can take on the device; 0: it does not say (always on a CPU). */
  usableMemory(): number;
  /** Tries the device on the model thread. Rejects with ENGINE_UNAVAILABLE if MLX cannot start. */
  probe(): Promise<DeviceReport>;
  /** Bytes held by MLX. */
  memory(): { readonly activeBytes: number; readonly peakBytes: number; readonly cacheBytes: number };
  readonly watchdog: NativeWatchdog;
  /**
   * The other processes of this one's group are gone: loads and generations that wait for them fail with ENGINE and this
   * message, and so do all later ones with `group`. The first message counts.
   */
  abandonGroup(why: string): void;
  /** The progress of this process's sums with the others of its group. */
  groupProgress(): GroupProgress;
  /** Cancels everything and joins the model thread. Called from process.on('exit'); afterwards nothing works. */
  shutdown(): void;
}

/** The sums of a process with those that share its model. */
export interface GroupProgress {
  /** Begun in the life of the process. */
  readonly sums: number;
  /** Whether it waits for the others in the last one. */
  readonly waits: boolean;
  /** Bytes of the last one. */
  readonly bytes: number;
}
