import { significant } from '../quantities.ts';
import type { Mode } from './answer.ts';
import type { CategoryFigures, Share, ToolsReport } from './tools-report.ts';

/** What a mode does, for people. */
export const MODE_TITLES: Readonly<Record<Mode, string>> = {
  free: 'first reply',
  repair: 'with repair',
  held: 'held to schemas',
};

/** The report for a terminal. */
export function toolsText(report: ToolsReport): string {
  return [...toolsHeading(report), ...scores(report), ...costs(report), ...faults(report)].join('\n');
}

export function toolsHeading({
  machine,
  versions,
  model,
  benchmark,
  settings,
  total,
}: ToolsReport): string[] {
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
export function shareText(found: Share | undefined): string {
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

export function askedOf(modes: CategoryFigures['modes']): number {
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
