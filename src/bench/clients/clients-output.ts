import { bar } from '../bench-output.ts';
import { escaped, page } from '../html-page.ts';
import { quantity, significant } from '../quantities.ts';
import { CLIENT_METRICS, type ClientsReport, curvesOf } from './clients-report.ts';

/** The report for a terminal: for every metric a bar for each server and number of clients. */
export function clientsText(report: ClientsReport): string {
  return [...clientsHeading(report), ...curves(report), ...failures(report)].join('\n');
}

function clientsHeading({ machine, versions, model, settings }: ClientsReport): string[] {
  const { requests, promptTokens, generate, threads, environment } = settings;
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [
    `${model.name}: ${model.family}, ${significant(model.parameters / 1e6)} M parameters`,
    `${machine.processor}, ${machine.processors} processors, ${machine.system}; threads: ${threads ?? "each engine's own choice"}`,
    `llm-host ${versions.llmHost}, MLX ${versions.mlx}, Node ${versions.node}`,
    `each client: ${requests} ${requests === 1 ? 'request' : 'requests'} of ${promptTokens} tokens, answered with ${generate}${set.length > 0 ? `; ${set.join(' ')}` : ''}`,
  ];
}

function curves(report: ClientsReport): string[] {
  const width = Math.max(...report.servers.map(({ name }) => name.length));
  const digits = Math.max(...report.settings.clients).toString().length;
  return curvesOf(report).flatMap(({ metric, rows }) => {
    const { unit, says } = CLIENT_METRICS[metric];
    const largest = Math.max(...rows.map(({ value }) => value));
    const lines = rows.map(({ name, clients, value, gain }) => {
      const times = gain === undefined ? '' : `, ${gain.toFixed(1)} times`;
      return `  ${name.padEnd(width)} ${String(clients).padStart(digits)} ${bar(value / largest)} ${quantity(value, unit)}${times}`;
    });
    return ['', `${says}, by clients`, ...lines];
  });
}

function failures({ servers }: ClientsReport): string[] {
  const rows = servers.flatMap(({ name, points }) =>
    points
      .filter(({ failed }) => failed > 0)
      .map(({ clients, failed, requests }) => `  ${name}, ${clients} clients: ${failed} of ${requests}`),
  );
  return rows.length > 0 ? ['', 'requests without a whole reply', ...rows] : [];
}

type Curve = ReturnType<typeof curvesOf>[number];

const [WIDTH, HEIGHT] = [300, 80];
const COLORS = ['#3b7dd8', '#a9a9a9', '#d88a3b'];

/** A self-contained file: for every metric a curve for each server over the number of clients, and a table. */
export function clientsHtml(report: ClientsReport): string {
  const body = [
    `<p>${clientsHeading(report).map(escaped).join('<br>')}<br>${escaped(report.date)}</p>`,
    ...curvesOf(report).map(curve => figure(report, curve)),
  ];
  return page(`llm-host bench --clients: ${report.model.name}`, body.join('\n'));
}

function figure({ servers, settings: { clients } }: ClientsReport, { metric, rows }: Curve): string {
  const { unit, better, says } = CLIENT_METRICS[metric];
  const largest = Math.max(...rows.map(({ value }) => value)) || 1;
  const most = Math.log2(Math.max(...clients)) || 1;
  const x = (count: number) => ((WIDTH * Math.log2(count)) / most).toFixed(1);
  const y = (value: number) => (HEIGHT * (1 - value / largest)).toFixed(1);
  const own = (name: string) => rows.filter(row => row.name === name);
  const lines = servers.map(({ name }, index) => {
    const points = own(name).map(row => `${x(row.clients)},${y(row.value)}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLORS[index % COLORS.length]}" stroke-width="1.5"/>`;
  });
  const cells = servers.map(({ name }, index) => {
    const values = clients.map(count => {
      const row = own(name).find(one => one.clients === count);
      const times = row?.gain === undefined ? '' : ` (${row.gain.toFixed(1)} times)`;
      return `<td class="n">${row ? escaped(quantity(row.value, unit)) + times : ''}</td>`;
    });
    const mark = `<span style="color:${COLORS[index % COLORS.length]}">■</span>`;
    return `<tr><td>${mark} ${escaped(name)}</td>${values.join('')}</tr>`;
  });
  return `<h2>${escaped(says)}</h2>
<p>${better} is better; by clients</p>
<svg viewBox="-4 -4 ${WIDTH + 8} ${HEIGHT + 8}" style="height:12rem">${lines.join('')}</svg>
<table><tr><th></th>${clients.map(count => `<th>${count}</th>`).join('')}</tr>
${cells.join('\n')}</table>`;
}
