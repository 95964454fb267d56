import { escaped, page } from './html-page.ts';
import { quantity } from './quantities.ts';
import { type BenchReport, type Figure, METRICS } from './report.ts';
import { figureTitle, groupedFigures, heading } from './text-report.ts';

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
