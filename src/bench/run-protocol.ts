/**
 * The protocol between `bench` and the processes it measures: the process gets a RunSpec as the first line of stdin and
 * answers with one RunLine per line on stdout. When stdin ends, `bench` has ended and the process ends too. The peers'
 * runners in peers/ speak it as well.
 */

/** One process to be measured. */
export interface RunSpec {
  /** For llm-host anything it loads; for llama.cpp a .gguf file; for mlx-lm a folder. */
  readonly model: string;
  /** llm-host only: how to load the model. */
  readonly load: {
    readonly quantize?: string;
    readonly kvBits?: 4 | 8;
    readonly adapter?: readonly string[];
  };
  /** Tokens the context must hold. */
  readonly contextLength: number;
  /** undefined: the engine's own choice. */
  readonly threads?: number | undefined;
  /** The warm-up, before anything is measured. */
  readonly warmUp?: { readonly promptIds: readonly number[]; readonly generate: number } | undefined;
  /** Each is answered with `generate` tokens and measured. */
  readonly prompts: readonly (readonly number[])[];
  readonly generate: number;
  /** Count the primitives of a decoding step's graph and measure the time to build it. */
  readonly graph?: boolean | undefined;
  /** llm-host only: measure the second turn after each of these histories. */
  readonly turns?: readonly Turn[] | undefined;
}

/** A conversation of two turns. */
export interface Turn {
  readonly historyIds: readonly number[];
  readonly newIds: readonly number[];
}

/** One prompt. Milliseconds. */
export interface PromptMeasurement {
  readonly promptTokens: number;
  readonly firstTokenMs: number;
  readonly generatedTokens: number;
  /** From the first token to the last. */
  readonly decodeMs: number;
}

export interface TurnMeasurement {
  readonly historyTokens: number;
  readonly newTokens: number;
  /** Tokens of the second prompt taken from the cache. */
  readonly cachedTokens: number;
  readonly firstTokenMs: number;
}

/** The host's work for a decoding step, in microseconds of CPU time of the thread that builds the graph. */
export interface GraphMeasurement {
  readonly primitives: number;
  /** The kernels that a GPU launches for them; mlx-lm's are not counted here. */
  readonly launches?: number | undefined;
  readonly buildMicroseconds: readonly number[];
  /** Handing the built graph over for evaluation. */
  readonly submitMicroseconds: readonly number[];
}

export interface RunResult {
  readonly version: string;
  readonly device: string;
  /** Milliseconds from the start of loading until the model can generate. */
  readonly loadMs: number;
  readonly prompts: readonly PromptMeasurement[];
  readonly turns?: readonly TurnMeasurement[];
  readonly graph?: GraphMeasurement;
  /** The process's peak resident memory. */
  readonly peakBytes: number;
  /** llm-host only: bytes of the loaded weights. */
  readonly weightBytes?: number;
}

export type RunLine =
  /** The first token of the first measured prompt. */
  | { readonly type: 'first' }
  | ({ readonly type: 'result' } & RunResult)
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly hint?: string };
