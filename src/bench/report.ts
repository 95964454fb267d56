import type { Machine } from './machine.ts';
import type { Spread } from './spread.ts';

/** The metrics. A figure's `at`: tokens of the prompt, or of the history before a second turn. */
export const METRICS = {
  promptTokensPerSecond: { unit: 'tok/s', better: 'higher', says: 'reading the prompt' },
  generationTokensPerSecond: { unit: 'tok/s', better: 'higher', says: 'generating' },
  firstTokenMs: { unit: 'ms', better: 'lower', says: 'time to first token' },
  startToFirstTokenMs: { unit: 'ms', better: 'lower', says: 'process start to first token' },
  loadMs: { unit: 'ms', better: 'lower', says: 'loading' },
  peakBytes: { unit: 'bytes', better: 'lower', says: 'peak memory' },
  secondTurnFirstTokenMs: { unit: 'ms', better: 'lower', says: 'second turn, time to first token' },
  primitives: { unit: 'primitives', better: 'lower', says: 'primitives of a step' },
  launches: { unit: 'kernels', better: 'lower', says: 'kernels that a GPU launches for a step' },
  graphMicroseconds: { unit: 'us', better: 'lower', says: 'building a step' },
  submitMicroseconds: { unit: 'us', better: 'lower', says: 'submitting a step' },
} as const satisfies Record<string, { unit: string; better: 'higher' | 'lower'; says: string }>;

export type Metric = keyof typeof METRICS;

/** One metric of one engine, a value per run. */
export interface Figure extends Spread {
  readonly metric: Metric;
  /** Tokens; undefined if independent of the prompt. */
  readonly at: number | undefined;
  readonly values: readonly number[];
}

export interface EngineReport {
  readonly name: string;
  readonly version: string;
  readonly device: string;
  readonly figures: readonly Figure[];
}

/** llm-host's figure over a peer's of the same round. */
export interface Ratio extends Spread {
  readonly peer: string;
  readonly metric: Metric;
  readonly at: number | undefined;
}

/** The limit set by memory bandwidth, and how much of it is reached. */
export interface RooflinePoint {
  /** Tokens of the prompt plus half of those generated. */
  readonly promptTokens: number;
  readonly contextTokens: number;
  /** Bytes read per token: of the loaded weights, and of the context's keys, values and states. */
  readonly weightBytes: number;
  readonly kvBytes: number;
  /** The best bandwidth over these bytes. */
  readonly limitTokensPerSecond: number;
  /** The median of generation. */
  readonly tokensPerSecond: number;
  /** The median of each run's tokens per second over what its own bandwidth allows. */
  readonly share: number;
}

export interface BenchReport {
  readonly version: 1;
  readonly date: string;
  readonly machine: Machine;
  readonly versions: { readonly llmHost: string; readonly mlx: string; readonly node: string };
  readonly model: {
    readonly name: string;
    readonly family: string;
    readonly parameters: number;
    readonly weightBytes: number;
  };
  readonly settings: {
    readonly promptTokens: readonly number[];
    readonly generate: number;
    readonly runs: number;
    /** undefined: each engine's own choice. */
    readonly threads: number | undefined;
    /** Tokens of the prompt that measures process start. */
    readonly startPromptTokens: number;
    readonly warmUpTokens: number;
    /** This program's environment variables that were set. */
    readonly environment: Readonly<Record<string, string>>;
  };
  readonly engines: readonly EngineReport[];
  readonly ratios: readonly Ratio[];
  readonly roofline: {
    /** Bytes per second. */
    readonly bandwidth: Spread;
    readonly threads: number;
    readonly points: readonly RooflinePoint[];
  };
}
