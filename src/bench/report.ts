import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { type Spread, spreadOf } from './quantities.ts';
import type { ProcessRun } from './run-process.ts';
import type { RunResult } from './run-protocol.ts';

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

/** Where the figures were measured. */
export interface Machine {
  readonly processor: string;
  /** Processors available to this process. */
  readonly processors: number;
  readonly memoryBytes: number;
  /** Such as `Linux 6.1.0 x64`. */
  readonly system: string;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? process.arch,
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${type()} ${release()} ${process.arch}`,
  };
}

/** One engine's runs in one round: warm, and from process start. */
export interface Round {
  readonly warm: RunResult;
  readonly start: ProcessRun;
}

interface Value {
  readonly metric: Metric;
  readonly at?: number;
  readonly value: number;
}

/** @param rounds at least one */
export function engineReport(name: string, rounds: readonly Round[]): EngineReport {
  const { version, device } = (rounds[0] as Round).warm;
  const found = new Map<string, { metric: Metric; at: number | undefined; values: number[] }>();
  for (const { metric, at, value } of rounds.flatMap(round => valuesOf(round))) {
    const key = `${metric} ${at}`;
    const figure = found.get(key) ?? { metric, at, values: [] };
    figure.values.push(value);
    found.set(key, figure);
  }
  const figures = [...found.values()].map(figure => ({ ...figure, ...spreadOf(figure.values) }));
  return { name, version, device, figures: figures.sort(byMetric) };
}

function valuesOf({ warm, start }: Round): Value[] {
  const prompts = warm.prompts.flatMap((prompt): Value[] => {
    const { promptTokens: at, firstTokenMs, generatedTokens, decodeMs } = prompt;
    const values: Value[] = [
      { metric: 'promptTokensPerSecond', at, value: (1000 * at) / firstTokenMs },
      { metric: 'firstTokenMs', at, value: firstTokenMs },
    ];
    // The first token belongs to the prompt.
    const rate = (1000 * (generatedTokens - 1)) / decodeMs;
    return generatedTokens > 1
      ? [...values, { metric: 'generationTokensPerSecond', at, value: rate }]
      : values;
  });
  const turns = (warm.turns ?? []).map(
    ({ historyTokens, firstTokenMs }): Value => ({
      metric: 'secondTurnFirstTokenMs',
      at: historyTokens,
      value: firstTokenMs,
    }),
  );
  const { graph } = warm;
  const steps: Value[] = graph?.buildMicroseconds.length
    ? [
        { metric: 'primitives', value: graph.primitives },
        ...(graph.launches === undefined ? [] : [{ metric: 'launches', value: graph.launches } as const]),
        { metric: 'graphMicroseconds', value: spreadOf(graph.buildMicroseconds).median },
        { metric: 'submitMicroseconds', value: spreadOf(graph.submitMicroseconds).median },
      ]
    : [];
  return [
    ...prompts,
    {
      metric: 'startToFirstTokenMs',
      at: start.result.prompts[0]?.promptTokens ?? 0,
      value: start.startToFirstTokenMs,
    },
    { metric: 'loadMs', value: warm.loadMs },
    { metric: 'peakBytes', value: warm.peakBytes },
    ...turns,
    ...steps,
  ];
}

const ORDER = Object.keys(METRICS);

function byMetric(a: Figure, b: Figure): number {
  return ORDER.indexOf(a.metric) - ORDER.indexOf(b.metric) || (a.at ?? 0) - (b.at ?? 0);
}

/** For each metric both have: this program's value over the peer's, round by round. */
export function ratiosOf(own: EngineReport, peer: EngineReport): Ratio[] {
  return own.figures.flatMap(({ metric, at, values }) => {
    const other = peer.figures.find(figure => figure.metric === metric && figure.at === at);
    if (!other) return [];
    const ratios = values.map((value, round) => value / (other.values[round] as number));
    return [{ peer: peer.name, metric, at, ...spreadOf(ratios) }];
  });
}
