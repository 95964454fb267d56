// Writes the tables of docs/tool-leaderboard.md.
//   node scripts/measure/bfcl/leaderboard.mjs report.json ... [--page FILE]
// report.json: from `llm-host bench <model> --tools --all --json`. A row for each report, in the order given.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BFCL_CATEGORIES } from '../../../dist/bench/tools/bfcl/categories.js';

const PAGE = fileURLToPath(new URL('../../../docs/tool-leaderboard.md', import.meta.url));
const BEGIN = '<!-- tables: node scripts/measure/bfcl/leaderboard.mjs -->';
const END = '<!-- end of the tables -->';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { page: { type: 'string', default: PAGE } },
});
const reports = positionals.map(path => JSON.parse(readFileSync(path, 'utf8')));
if (reports.length === 0)
  throw new Error('name the reports: node scripts/measure/bfcl/leaderboard.mjs report.json ...');

const page = readFileSync(values.page, 'utf8');
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error(`${values.page} lacks its marks`);
writeFileSync(
  values.page,
  `${before}${BEGIN}\n\n${[overview(), ...['held', 'repair', 'free'].map(categories)].join('\n\n')}\n\n${END}${after}`,
);

/** Every mode over all categories. */
function overview() {
  const rows = reports.map(report => {
    const { total, settings } = report;
    const { asked, promptTokens, generatedTokens } = total.modes.repair ?? Object.values(total.modes)[0];
    const cells = ['free', 'repair', 'held'].map(mode => comparable(total, mode));
    const questions = settings.perCategory === undefined ? `${asked}` : `${asked} of ${total.cases}`;
    return [
      nameOf(report),
      millions(report),
      questions,
      ...cells,
      promptTokens.toFixed(0),
      generatedTokens.toFixed(0),
    ];
  });
  const head = [
    'model',
    'parameters',
    'questions',
    'first reply',
    'with repair',
    'held',
    'prompt tokens',
    'generated',
  ];
  return `All categories, % of the questions, with 95 % confidence intervals\n\n${table(head, rows)}`;
}

/** One mode by category. */
function categories(mode) {
  const rows = Object.keys(BFCL_CATEGORIES)
    .map(name => [name, ...reports.map(report => comparable(of(report, name), mode))])
    .filter(([, ...cells]) => cells.some(Boolean));
  const titles = { free: 'First reply', repair: 'With repair', held: 'Held to the schemas' };
  return `${titles[mode]}\n\n${table(['category', ...reports.map(nameOf)], rows)}`;
}

function of(report, name) {
  return report.categories.find(one => one.category === name);
}

/** '' for a mode that was asked fewer questions than another. */
function comparable(figures, mode) {
  const modes = figures?.modes ?? {};
  const most = Math.max(...Object.values(modes).map(one => one.asked));
  return modes[mode]?.asked === most ? percent(modes[mode]) : '';
}

function percent(one) {
  if (one.asked === 0) return '';
  const [share, low, high] = [one.share, one.low, one.high].map(value => (100 * value).toFixed(0));
  return `${share} (${low} to ${high})`;
}

function nameOf({ model }) {
  return model.name;
}

function millions({ model }) {
  return `${Math.round(model.parameters / 1e6)} M`;
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n');
}
