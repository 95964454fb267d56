import { escaped, page } from '../html-page.ts';
import { quantity } from '../quantities.ts';
import { CLIENT_METRICS, type ClientsReport, curvesOf } from './clients-report.ts';
import { clientsHeading } from './clients-text.ts';

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
