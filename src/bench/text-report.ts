import { quantity, significant, spreadQuantity } from './quantities.ts';
import { type BenchReport, type Figure, METRICS } from './report.ts';

const BAR_WIDTH = 30;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** The report for a terminal: for every figure each engine's bar, minimum, median and maximum. */
export function textReport(report: BenchReport): string {
  return [...heading(report), ...figures(report), ...ratios(report), ...roofline(report)].join('\n');
}

export function heading({ machine, versions, model, settings }: BenchReport): string[] {
  const megabytes = quantity(model.weightBytes, 'bytes');
  const set = Object.entries(settings.environment).map(([name, value]) => `${name}=${value}`);
  return [
    `${model.name}: ${model.family}, ${significant(model.parameters / 1e6)} M parameters, ${megabytes} in memory`,
    `${machine.processor}, ${machine.processors} processors, ${machine.system}; threads: ${settings.threads ?? "each engine's own choice"}`,
    `llm-host ${versions.llmHost}, MLX ${versions.mlx}, Node ${versions.node}`,
    `${settings.runs} ${settings.runs === 1 ? 'run' : 'runs'}, ${settings.generate} tokens generated; minimum / median / maximum${set.length > 0 ? `; ${set.join(' ')}` : ''}`,
  ];
}

/** Such as `reading the prompt, 512 tokens`. */
export function figureTitle({ metric, at }: Pick<Figure, 'metric' | 'at'>): string {
  const { says } = METRICS[metric];
  if (at === undefined) return says;
  return `${says}, ${metric === 'generationTokensPerSecond' ? 'after ' : ''}${at} tokens`;
}

/** Every figure of any engine, with the values of all engines. */
export function groupedFigures({ engines }: BenchReport): { title: string; rows: [string, Figure][] }[] {
  const [own] = engines;
  return (own?.figures ?? []).map(figure => ({
    title: figureTitle(figure),
    rows: engines.flatMap(({ name, figures }): [string, Figure][] => {
      const same = figures.find(({ metric, at }) => metric === figure.metric && at === figure.at);
      return same ? [[name, same]] : [];
    }),
  }));
}

function figures(report: BenchReport): string[] {
  const width = Math.max(...report.engines.map(({ name }) => name.length));
  return groupedFigures(report).flatMap(({ title, rows }) => {
    const largest = Math.max(...rows.map(([, { max }]) => max));
    const lines = rows.map(([name, figure]) => {
      const values = spreadQuantity(figure, METRICS[figure.metric].unit);
      return `  ${name.padEnd(width)} ${bar(figure.median / largest)} ${values}`;
    });
    return ['', title, ...lines];
  });
}

/** A bar; `share` of the full width, 0 to 1. */
export function bar(share: number): string {
  const eighths = Math.round(BAR_WIDTH * 8 * share);
  return ('█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]).padEnd(BAR_WIDTH);
}

function ratios({ ratios: all }: BenchReport): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ peer, metric, at, min, median, max }) => {
    const values = [min, median, max].map(value => value.toFixed(2)).join(' / ');
    return `  ${figureTitle({ metric, at })}, over ${peer}: ${values} (${METRICS[metric].better} is better)`;
  });
  return ['', 'llm-host over each peer, run by run', ...rows];
}

function roofline({ roofline: { bandwidth, threads, points } }: BenchReport): string[] {
  const rate = [bandwidth.min, bandwidth.median, bandwidth.max].map(value => (value / 1e9).toFixed(1));
  const rows = points.map(point => {
    const read = `${quantity(point.weightBytes, 'bytes')} of weights and ${quantity(point.kvBytes, 'bytes')} of keys and values a token`;
    return `  ${point.contextTokens} tokens of context: ${read}, which allows about ${significant(point.limitTokensPerSecond)} tok/s; reached ${significant(point.tokensPerSecond)}, ${(100 * point.share).toFixed(0)} % run by run`;
  });
  return ['', `memory, read by ${threads} threads: ${rate.join(' / ')} GB/s`, ...rows];
}
