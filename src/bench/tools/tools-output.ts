import { escaped, page } from '../html-page.ts';
import { significant } from '../quantities.ts';
import type { Mode } from './tool-case.ts';
import type { CategoryFigures, ModeFigures, Share, ToolsReport } from './tools-report.ts';

/** The modes' names, for people. */
const MODE_TITLES: Readonly<Record<Mode, string>> = {
  free: 'first reply',
  repair: 'with repair',
  held: 'held to schemas',
};

/** The report for a terminal. */
export function toolsText(report: ToolsReport): string {
  return [...toolsHeading(report), ...scores(report), ...costs(report), ...faults(report)].join('\n');
}

function toolsHeading({ machine, versions, model, benchmark, settings, total }: ToolsReport): string[] {
  const { perCategory, half, maxTokens, environment } = settings;
  const asked = Math.max(...Object.values(total.modes).map(figures => figures.asked));
  const sample = perCategory === undefined ? '' : `, at most ${perCategory} of each category`;
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [
    `${model.name}: ${model.family}, ${significant(model.parameters / 1e6)} M parameters`,
    `${machine.processor}, ${machine.processors} processors, ${machine.system}`,
    `llm-host ${versions.llmHost}, MLX ${versions.mlx}, Node ${versions.node}`,
    `${benchmark}: ${asked} of ${total.cases} questions${sample}${half ? `, half ${half}` : ''}; temperature 0, at most ${maxTokens} tokens${set.length > 0 ? `; ${set.join(' ')}` : ''}`,
  ];
}

/** `72 % (52 to 86)`; `-`: not measured. */
function shareText(found: Share | undefined): string {
  if (!found) return '-';
  const { share, low, high } = found;
  const percent = (value: number) => (100 * value).toFixed(0);
  return `${percent(share)} % (${percent(low)} to ${percent(high)})`;
}

function scores({ categories, total, settings: { modes } }: ToolsReport): string[] {
  const rows = [...categories, total].map(({ category, modes: figures }) => [
    category,
    String(askedOf(figures)),
    ...modes.map(mode => shareText(figures[mode])),
  ]);
  const head = ['', 'cases', ...modes.map(mode => MODE_TITLES[mode])];
  return ['', 'right answers, with 95 % confidence intervals', ...table([head, ...rows])];
}

function askedOf(modes: CategoryFigures['modes']): number {
  return Math.max(...Object.values(modes).map(figures => figures.asked));
}

function costs({ total, settings: { modes } }: ToolsReport): string[] {
  const rows = modes.flatMap(mode => {
    const figures = total.modes[mode];
    if (!figures) return [];
    const { asked, firstAttempt, promptTokens, generatedTokens, seconds } = figures;
    const row = [
      MODE_TITLES[mode],
      `${((100 * firstAttempt) / Math.max(1, asked)).toFixed(0)} %`,
      promptTokens.toFixed(0),
      generatedTokens.toFixed(0),
      significant(seconds),
    ];
    return [row];
  });
  const head = ['', 'right at once', 'prompt tokens', 'generated tokens', 'seconds'];
  return ['', 'a question, on average', ...table([head, ...rows])];
}

function faults({ total, settings: { modes } }: ToolsReport): string[] {
  const rows = modes.flatMap(mode => {
    const counts = Object.entries(total.modes[mode]?.faults ?? {}).sort(([, a], [, b]) => b - a);
    return counts.length > 0
      ? [`  ${MODE_TITLES[mode]}: ${counts.map(([what, n]) => `${what} ${n}`).join(', ')}`]
      : [];
  });
  return rows.length > 0 ? ['', 'what was wrong', ...rows] : [];
}

/** Columns in line, all but the first to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(row => (row[column] as string).length)),
  );
  return rows.map(row =>
    `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart((widths[column] as number) + 2))).join('')}`.trimEnd(),
  );
}

/** A self-contained file: for every mode a bar for each category with its confidence interval, and what was wrong. */
export function toolsHtml(report: ToolsReport): string {
  const body = [
    `<p>${toolsHeading(report).map(escaped).join('<br>')}<br>${escaped(report.date)}</p>`,
    ...report.settings.modes.flatMap(mode => modeTable(report, mode)),
  ];
  return page(`llm-host bench --tools: ${report.model.name}`, body.join('\n'));
}

/** A table of the categories that are measured in this mode. */
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
