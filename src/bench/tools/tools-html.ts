import { escaped, page } from '../html-page.ts';
import { significant } from '../quantities.ts';
import type { Mode } from './answer.ts';
import type { CategoryFigures, ModeFigures, ToolsReport } from './tools-report.ts';
import { askedOf, MODE_TITLES, shareText, toolsHeading } from './tools-text.ts';

/** A self-contained file: for every mode a bar for each category with its confidence interval, and what was wrong. */
export function toolsHtml(report: ToolsReport): string {
  const body = [
    `<p>${toolsHeading(report).map(escaped).join('<br>')}<br>${escaped(report.date)}</p>`,
    ...report.settings.modes.flatMap(mode => modeTable(report, mode)),
  ];
  return page(`llm-host bench --tools: ${report.model.name}`, body.join('\n'));
}

/** Of the categories that are measured in this mode. */
function modeTable({ categories, total }: ToolsReport, mode: Mode): string[] {
  const all = total.modes[mode];
  if (!all) return [];
  const rows = [...categories, total].flatMap(one => {
    const figures = one.modes[mode];
    return figures ? [row(one, figures)] : [];
  });
  const table = `<h2>${escaped(MODE_TITLES[mode])}</h2>
<table><tr><th></th><th>right</th><th></th><th>cases</th><th>at once</th><th>tokens</th><th>seconds</th></tr>
${rows.join('\n')}</table>
<p>${faultsText(all)}</p>`;
  return [table];
}

function row({ category, modes }: CategoryFigures, figures: ModeFigures): string {
  const x = (value: number) => (100 * value).toFixed(2);
  const bar = `<svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect width="${x(figures.share)}" height="10"/><line x1="${x(figures.low)}" x2="${x(figures.high)}" y1="5" y2="5" stroke-width="1"/></svg>`;
  const cells = [
    shareText(figures),
    `${figures.asked === askedOf(modes) ? figures.asked : `${figures.asked} of ${askedOf(modes)}`}`,
    `${((100 * figures.firstAttempt) / Math.max(1, figures.asked)).toFixed(0)} %`,
    figures.generatedTokens.toFixed(0),
    significant(figures.seconds),
  ];
  return `<tr><td>${escaped(category)}</td><td class="b">${bar}</td>${cells.map(cell => `<td class="n">${escaped(cell)}</td>`).join('')}</tr>`;
}

function faultsText({ faults }: ModeFigures): string {
  const counts = Object.entries(faults).sort(([, a], [, b]) => b - a);
  return counts.length === 0
    ? ''
    : escaped(`What was wrong: ${counts.map(([what, n]) => `${what} ${n}`).join(', ')}`);
}
