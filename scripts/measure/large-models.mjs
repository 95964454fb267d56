// Measures models of the sizes that people use, with random weights, beside llama.cpp, and prints a table for
// docs/performance.md. The files, 0.6 to 1.2 GB each, are written to FOLDER if they are not there.
// Usage, after `npm run bootstrap` and scripts/measure/peers/install.mjs:
//   node scripts/measure/large-models.mjs FOLDER [--models llama-1b-Q4_0,...] [--runs 5] [--threads 2]
//     [--prompt-tokens 128,512] [--generate 64] [--layers N] [--alone]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { distDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { LLAMA_MODELS, writeLlama } from './shapes/llama.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: LLAMA_MODELS.join(',') },
    runs: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
    'prompt-tokens': { type: 'string', default: '128,512' },
    generate: { type: 'string', default: '64' },
    layers: { type: 'string' },
    alone: { type: 'boolean', default: false },
  },
});

/** The figures of a row, as `llm-host bench --json` names them. */
const COLUMNS = ['promptTokensPerSecond', 'generationTokensPerSecond', 'startToFirstTokenMs', 'peakBytes'];
const UNITS = { peakBytes: 1e6 };

function bench(path) {
  const compare = values.alone ? [] : ['--compare', 'llama.cpp'];
  const own = ['runs', 'threads', 'prompt-tokens', 'generate'].flatMap(name => [`--${name}`, values[name]]);
  const command = [join(distDir, 'cli', 'main.js'), 'bench', path, '--json', ...compare, ...own];
  const { status, stdout } = spawnSync(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new SetupError(`${path} could not be measured: bench exited with ${status}`);
  return JSON.parse(stdout);
}

const spread = ({ min, median, max }, unit, digits) =>
  [min, median, max].map(value => (value / unit).toFixed(digits)).join(' / ');

function rows(model, { engines, ratios, roofline }) {
  const [own, peer] = engines;
  const wanted = own.figures.filter(({ metric }) => COLUMNS.includes(metric));
  return wanted.map(figure => {
    const same = ({ metric, at }) => metric === figure.metric && at === figure.at;
    const unit = UNITS[figure.metric] ?? 1;
    const digits = figure.metric === 'generationTokensPerSecond' ? 1 : 0;
    const theirs = peer?.figures.find(same);
    const ratio = ratios.find(same);
    const point = roofline.points.find(({ promptTokens }) => promptTokens === figure.at);
    const share =
      figure.metric === 'generationTokensPerSecond' && point ? `${Math.round(100 * point.share)} %` : '';
    return [
      model,
      figure.at === undefined ? figure.metric : `${figure.metric}, ${figure.at}`,
      spread(figure, unit, digits),
      theirs ? spread(theirs, unit, digits) : '',
      ratio ? spread(ratio, 1, 2) : '',
      share,
    ];
  });
}

await runMain(() => {
  const [folder] = positionals;
  if (folder === undefined) throw new SetupError('Usage: node scripts/measure/large-models.mjs FOLDER');
  const models = values.models.split(',');
  const unknown = models.find(model => !LLAMA_MODELS.includes(model));
  if (unknown !== undefined) throw new SetupError(`${unknown} is not one of ${LLAMA_MODELS.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  const line = cells => console.log(`| ${cells.join(' | ')} |`);
  line(['model', 'figure', 'llm-host', 'llama.cpp', 'ratio, run by run', 'share of the roofline']);
  line(Array(6).fill('---'));
  for (const model of models) {
    const path = join(folder, `${model}${values.layers ? `-${values.layers}-layers` : ''}.gguf`);
    if (!existsSync(path)) writeLlama(path, model, values.layers && Number(values.layers));
    for (const row of rows(model, bench(path))) line(row);
  }
});
