import { type EngineReport, type Figure, METRICS, type Metric, type Ratio } from './report.ts';
import type { ProcessRun } from './run-process.ts';
import type { RunResult } from './run-protocol.ts';
import { spreadOf } from './spread.ts';

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
