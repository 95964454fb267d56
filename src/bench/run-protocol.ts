/**
 * What `bench` and the processes that it measures say to each other: the process gets a RunSpec as the first line of
 * its stdin, and answers with one RunLine a line on stdout. A stdin that ends is the measuring program's end: the
 * process ends too. The peers' runners in scripts/measure/peers speak the same.
 */

/** One process to be measured. */
export interface RunSpec {
  /** For llm-host whatever it loads; for llama.cpp a .gguf file; for mlx-lm a folder. */
  readonly model: string;
  /** Of llm-host: how the model is loaded. */
  readonly load: {
    readonly quantize?: string;
    readonly kvBits?: 4 | 8;
    readonly adapter?: readonly string[];
  };
  /** Tokens that the context must hold. */
  readonly contextLength: number;
  /** undefined: the engine's own choice. */
  readonly threads?: number | undefined;
  /** Read and generated once before anything is measured. */
  readonly warmUp?: { readonly promptIds: readonly number[]; readonly generate: number } | undefined;
  /** Each is read and followed by `generate` tokens, and measured. */
  readonly prompts: readonly (readonly number[])[];
  readonly generate: number;
  /** Count the graph of a decoding step, and measure what it takes to build it. */
  readonly graph?: boolean | undefined;
  /** Of llm-host: measure the second turn after each of these histories. */
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
  /** Tokens of the second prompt that were not read again. */
  readonly cachedTokens: number;
  readonly firstTokenMs: number;
}

/** A decoding step as the host sees it. Microseconds of the processor time of the thread that builds it. */
export interface GraphMeasurement {
  readonly primitives: number;
  readonly buildMicroseconds: readonly number[];
  /** Handing the built graph over for evaluation. */
  readonly submitMicroseconds: readonly number[];
}

export interface RunResult {
  readonly version: string;
  readonly device: string;
  /** Milliseconds from the start of loading to a model that can generate. */
  readonly loadMs: number;
  readonly prompts: readonly PromptMeasurement[];
  readonly turns?: readonly TurnMeasurement[];
  readonly graph?: GraphMeasurement;
  /** The most memory that the process held resident. */
  readonly peakBytes: number;
  /** Of llm-host: bytes of the weights as loaded. */
  readonly weightBytes?: number;
}

export type RunLine =
  /** The first token of the first measured prompt is there. */
  | { readonly type: 'first' }
  | ({ readonly type: 'result' } & RunResult)
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly hint?: string };
