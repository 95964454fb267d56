import { escaped, page } from './html-page.ts';
import { quantity, significant, spreadQuantity } from './quantities.ts';
import { type BenchReport, type Figure, METRICS } from './report.ts';

const BAR_WIDTH = 30;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** The report for a terminal: for every figure each engine's bar, minimum, median and maximum. */
export function textReport(report: BenchReport): string {
  return [...heading(report), ...figures(report), ...ratios(report), ...roofline(report)].join('\n');
}

function heading({ machine, versions, model, settings }: BenchReport): string[] {
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
function figureTitle({ metric, at }: Pick<Figure, 'metric' | 'at'>): string {
  const { says } = METRICS[metric];
  if (at === undefined) return says;
  return `${says}, ${metric === 'generationTokensPerSecond' ? 'after ' : ''}${at} tokens`;
}

/** Every figure of any engine, with the values of all engines. */
function groupedFigures({ engines }: BenchReport): { title: string; rows: [string, Figure][] }[] {
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

/** A self-contained file: bars of medians with lines from minimum to maximum, and tables. */
export function htmlReport(report: BenchReport): string {
  const body = [
    `<p>${heading(report).map(escaped).join('<br>')}<br>${escaped(report.date)}</p>`,
    ...groupedFigures(report).map(({ title, rows }) => figureTable(title, rows)),
    ratioTable(report),
    rooflineTable(report),
  ].join('\n');
  return page(`llm-host bench: ${report.model.name}`, body);
}

function figureTable(title: string, rows: readonly [string, Figure][]): string {
  const largest = Math.max(...rows.map(([, { max }]) => max));
  const lines = rows.map(([name, { metric, min, median, max }], index) => {
    const { unit } = METRICS[metric];
    const x = (value: number) => ((100 * value) / largest).toFixed(2);
    const bar = `<svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect width="${x(median)}" height="10"/><line x1="${x(min)}" x2="${x(max)}" y1="5" y2="5" stroke-width="1"/></svg>`;
    const cells = [min, median, max].map(value => `<td class="n">${escaped(quantity(value, unit))}</td>`);
    return `<tr${index > 0 ? ' class="peer"' : ''}><td>${escaped(name)}</td><td class="b">${bar}</td>${cells.join('')}</tr>`;
  });
  const better = rows[0] && METRICS[rows[0][1].metric].better;
  return `<h2>${escaped(title)}</h2>
<table><tr><th></th><th>${better} is better</th><th>minimum</th><th>median</th><th>maximum</th></tr>
${lines.join('\n')}</table>`;
}

function ratioTable({ ratios }: BenchReport): string {
  if (ratios.length === 0) return '';
  const rows = ratios.map(({ peer, metric, at, min, median, max }) => {
    const cells = [min, median, max].map(value => `<td class="n">${value.toFixed(2)}</td>`).join('');
    return `<tr><td>${escaped(figureTitle({ metric, at }))}</td><td>${escaped(peer)}</td>${cells}<td>${METRICS[metric].better} is better</td></tr>`;
  });
  return `<h2>llm-host over each peer, run by run</h2>
<table><tr><th></th><th></th><th>minimum</th><th>median</th><th>maximum</th><th></th></tr>
${rows.join('\n')}</table>`;
}

function rooflineTable({ roofline: { bandwidth, threads, points } }: BenchReport): string {
  const rows = points.map(point => {
    const cells = [
      String(point.contextTokens),
      quantity(point.weightBytes, 'bytes'),
      quantity(point.kvBytes, 'bytes'),
      quantity(point.limitTokensPerSecond, 'tok/s'),
      quantity(point.tokensPerSecond, 'tok/s'),
      `${(100 * point.share).toFixed(0)} %`,
    ];
    return `<tr>${cells.map(cell => `<td class="n">${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `<h2>Roofline</h2>
<p>Memory, read by ${threads} threads: ${(bandwidth.max / 1e9).toFixed(1)} GB/s (best).</p>
<table><tr><th>context</th><th>weights a token</th><th>keys and values a token</th><th>about</th><th>reached</th><th>share, run by run</th></tr>
${rows.join('\n')}</table>`;
}
