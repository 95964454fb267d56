// Measures models of the sizes that people use, with random weights, beside llama.cpp, and prints a table for
// docs/evidence/measurements.md. Files that are not there are written to FOLDER (0.6 to 8 GB each). Each row's report is kept in
// FOLDER/results, and a row that has one is only printed: a run that was interrupted continues. The rows of published/
// have no llama.cpp beside them.
// Usage, after `npm run bootstrap` and peers/install.mjs:
//   node scripts/measure/large-models.mjs FOLDER [--rows llama-1b-Q4_0,...] [--runs 5] [--threads 2]
//     [--prompt-tokens 128,512,4096] [--generate 64] [--layers N] [--alone] [--again] [--write] [--list]
// --write: only writes the files.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { distDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { SHAPES } from './shapes/decoders.mjs';
import { PUBLISHED } from './shapes/published/models.mjs';
import { writeShapeAsGguf } from './shapes/write-gguf.mjs';
import { writeShapeAsMlx } from './shapes/write-mlx.mjs';

const gguf = (shape, type) => ({ shape, gguf: type });
/** `type`: of what llama.cpp reads, with as many bits a weight; undefined: measured alone. */
const mlx = (shape, type, quantized) => ({ shape, gguf: type, mlx: quantized });
const FOUR_BITS = { bits: 4 };

/** The measured models; `bench`: options of their own, `env`: variables. */
const ROWS = {
  ...Object.fromEntries(
    ['llama-1b', 'llama-3b', 'llama-8b'].flatMap(shape => [
      ...['Q4_0', 'Q4_K_M', 'Q8_0'].map(type => [`${shape}-${type}`, gguf(shape, type)]),
      [`${shape}-mlx4`, mlx(shape, 'Q4_0', FOUR_BITS)],
    ]),
  ),
  'llama-1b-Q4_K': gguf('llama-1b', 'Q4_K'),
  'granite-1b-Q4_0': gguf('granite-1b', 'Q4_0'),
  'granite-1b-mlx4': mlx('granite-1b', 'Q4_0', FOUR_BITS),
  'gpt-oss-20b-mxfp4': mlx('gpt-oss-20b', 'MXFP4', { bits: 8, experts: 'mxfp4' }),
  'qwen3-30b-a3b-mlx4': mlx('qwen3-30b-a3b', 'Q4_0', FOUR_BITS),
  'lfm2-8b-a1b-mlx4': mlx('lfm2-8b-a1b', 'Q4_0', FOUR_BITS),
  ...Object.fromEntries(
    Object.keys(PUBLISHED).map(shape => [`${shape}-mlx4`, mlx(shape, undefined, FOUR_BITS)]),
  ),
  'llama-1b-Q4_0-16k': {
    ...gguf('llama-1b', 'Q4_0'),
    bench: { 'prompt-tokens': '16384', generate: '32' },
    env: { LLM_HOST_BENCH_LLAMA_KV: 'Q8_0' },
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: Object.keys(ROWS).join(',') },
    runs: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
    'prompt-tokens': { type: 'string' },
    generate: { type: 'string' },
    layers: { type: 'string' },
    alone: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

/** The figures of a row, as `llm-host bench --json` names them. */
const COLUMNS = ['promptTokensPerSecond', 'generationTokensPerSecond', 'startToFirstTokenMs', 'peakBytes'];
const UNITS = { peakBytes: 1e6 };

/** The files that a row measures, written if they are not there; `peer` is undefined if it is measured alone. */
function files(folder, { shape: name, gguf, mlx }) {
  const shape = SHAPES[name] ?? PUBLISHED[name];
  const layers = Math.min(shape.layers, Number(values.layers ?? shape.cut ?? shape.layers));
  const stem = join(folder, layers === shape.layers ? name : `${name}-${layers}-layers`);
  const file = `${stem}-${gguf}.gguf`;
  const peer = gguf === undefined || values.alone ? undefined : file;
  if (!existsSync(file) && (peer || !mlx)) writeShapeAsGguf(file, shape, layers, gguf);
  if (!mlx) return { own: file, peer };
  const own = `${stem}-mlx-${mlx.experts ?? `${mlx.bits}-bit`}`;
  if (!existsSync(join(own, 'model.safetensors'))) writeShapeAsMlx(own, shape, layers, mlx);
  return { own, peer };
}

/** The report of a row: the kept one, or measured now. */
function reportOf(folder, name) {
  const kept = join(folder, 'results', `${name}${values.layers ? `-${values.layers}-layers` : ''}.json`);
  if (existsSync(kept) && !values.again) return JSON.parse(readFileSync(kept, 'utf8'));
  const row = ROWS[name];
  const { own, peer } = files(folder, row);
  const options = {
    runs: values.runs,
    threads: values.threads,
    'prompt-tokens': '128,512,4096',
    generate: '64',
    ...row.bench,
    ...(values['prompt-tokens'] && { 'prompt-tokens': values['prompt-tokens'] }),
    ...(values.generate && { generate: values.generate }),
    ...(peer && { compare: 'llama.cpp', 'llama-cpp-model': peer }),
  };
  console.error(name);
  const bench = llmHost('bench', own, options, row.env);
  const longest = Math.max(...options['prompt-tokens'].split(',').map(Number));
  const { memory } = llmHost('inspect', own, { context: longest + Number(options.generate) });
  const report = { ...bench, memory };
  writeFileSync(`${kept}.part`, JSON.stringify(report));
  renameSync(`${kept}.part`, kept);
  return report;
}

/** Runs a command of the program; returns the JSON that it prints. */
function llmHost(name, model, options, env) {
  const command = [join(distDir, 'cli', 'main.js'), name, model, '--json'];
  for (const [option, value] of Object.entries(options)) command.push(`--${option}`, value);
  const { status, stdout } = spawnSync(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new SetupError(`${model}: ${name} exited with ${status}`);
  return JSON.parse(stdout);
}

const spread = ({ min, median, max }, unit, digits) =>
  [min, median, max].map(value => (value / unit).toFixed(digits)).join(' / ');

function lines(name, { engines, ratios, roofline, memory }) {
  const [own, peer] = engines;
  const wanted = own.figures.filter(({ metric }) => COLUMNS.includes(metric));
  const measured = wanted.map(figure => {
    const same = ({ metric, at }) => metric === figure.metric && at === figure.at;
    const unit = UNITS[figure.metric] ?? 1;
    const digits = figure.metric === 'generationTokensPerSecond' ? 1 : 0;
    const theirs = peer?.figures.find(same);
    const ratio = ratios.find(same);
    const point = roofline.points.find(({ promptTokens }) => promptTokens === figure.at);
    const share =
      figure.metric === 'generationTokensPerSecond' && point ? `${Math.round(100 * point.share)} %` : '';
    return [
      name,
      figure.at === undefined ? figure.metric : `${figure.metric}, ${figure.at}`,
      spread(figure, unit, digits),
      theirs ? spread(theirs, unit, digits) : '',
      ratio ? spread(ratio, 1, 2) : '',
      share,
    ];
  });
  return memory ? [...measured, predicted(name, memory, own)] : measured;
}

/** The memory that `inspect` predicts, in MB, its share of the peak, and the peak besides weights and caches. */
function predicted(name, { weightBytes, kvBytes, workingSetBytes, totalBytes }, { figures }) {
  const peak = figures.find(({ metric }) => metric === 'peakBytes').median;
  const megabytes = bytes => (bytes / 1e6).toFixed(0);
  const parts = [weightBytes, kvBytes, workingSetBytes].map(megabytes).join(' + ');
  const share = `peak ${(100 * (peak / totalBytes)).toFixed(1)} % of it`;
  const rest = `${megabytes(peak - weightBytes - kvBytes)} beside weights and caches`;
  return [name, 'memory predicted', `${parts} = ${megabytes(totalBytes)}`, '', '', `${share}, ${rest}`];
}

await runMain(() => {
  if (values.list) return console.log(Object.keys(ROWS).join('\n'));
  const [folder] = positionals;
  if (folder === undefined) throw new SetupError('Usage: node scripts/measure/large-models.mjs FOLDER');
  const names = values.rows.split(',');
  const unknown = names.find(name => !Object.hasOwn(ROWS, name));
  if (unknown !== undefined) {
    throw new SetupError(`${unknown} is not one of ${Object.keys(ROWS).join(', ')}`);
  }
  mkdirSync(join(folder, 'results'), { recursive: true });
  if (values.write) {
    for (const name of names) files(folder, ROWS[name]);
    return;
  }
  const line = cells => console.log(`| ${cells.join(' | ')} |`);
  line(['model', 'figure', 'llm-host', 'llama.cpp', 'ratio, run by run', 'share of the roofline']);
  line(Array(6).fill('---'));
  for (const name of names) for (const cells of lines(name, reportOf(folder, name))) line(cells);
});
