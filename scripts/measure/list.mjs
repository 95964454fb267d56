// Times `llm-host list` over a cache of models with several shards each; fails if the median reaches LIMIT seconds.
// Needs dist/ (npm run build). Usage: node scripts/measure/list.mjs [MODELS, 50] [RUNS, 15] [LIMIT, 0.3]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedModels } from '../../dist/hub/cached-models.js';
import { distDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const SHARDS = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
const INDEX = JSON.stringify({ weight_map: { a: SHARDS[0], b: SHARDS[1] } });
const FILES = { 'config.json': '{}', 'tokenizer.json': '{}', 'model.safetensors.index.json': INDEX };

await runMain(() => {
  const [models = 50, runs = 15, limit = 0.3] = process.argv.slice(2).map(Number);
  if (![models, runs, limit].every(number => number > 0))
    throw new SetupError('MODELS, RUNS and LIMIT are numbers above 0');
  const home = mkdtempSync(join(tmpdir(), 'llm-host-list-'));
  const cache = join(home, 'hub');
  try {
    for (let number = 0; number < models; number++) writeModel(cache, number);
    const env = { PATH: process.env.PATH, HOME: home, HF_HUB_CACHE: cache };
    const main = join(distDir, 'cli', 'main.js');
    const rows = [
      ['the listing alone', () => list(cache, models)],
      ['llm-host list', () => start([main, 'list'], env, `${models} models, `)],
      ['llm-host --version', () => start([main, '--version'], env, '.')],
      ['Node alone', () => start(['-e', ''], env, '')],
    ].map(([name, work]) => [name, seconds(work, runs)]);
    console.log(`${models} models, seconds, minimum / median / maximum of ${runs}:`);
    for (const [name, times] of rows)
      console.log(`${name.padEnd(20)}${times.map(t => t.toFixed(3)).join(' / ')}`);
    if (rows[1][1][1] >= limit) throw new SetupError(`llm-host list takes ${limit} s or more`);
  } finally {
    rmSync(home, { recursive: true });
  }
});

/** A complete snapshot with links to blobs, as a download leaves it; the weights are holes. */
function writeModel(cache, number) {
  const folder = join(cache, `models--org--model-${number}`);
  const commit = number.toString(16).padStart(40, '0');
  const snapshot = join(folder, 'snapshots', commit);
  for (const path of [join(folder, 'refs'), join(folder, 'blobs'), snapshot])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'refs', 'main'), commit);
  const contents = { ...FILES, ...Object.fromEntries(SHARDS.map(name => [name, ''])) };
  for (const [index, [name, text]] of Object.entries(contents).entries()) {
    const blob = `${index}`.padStart(40, '0');
    writeFileSync(join(folder, 'blobs', blob), text);
    if (SHARDS.includes(name)) truncateSync(join(folder, 'blobs', blob), 1e9);
    symlinkSync(join('..', '..', 'blobs', blob), join(snapshot, name));
  }
}

function list(cache, models) {
  const found = cachedModels(cache);
  if (found.length !== models || found.some(({ revisions }) => revisions[0].missing.length > 0))
    throw new SetupError('the listing does not match the cache');
}

function start(args, env, expected) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0 || !stdout.includes(expected))
    throw new SetupError(`ended with ${status}`, { output: stderr });
}

/** [minimum, median, maximum] */
function seconds(work, runs) {
  const times = Array.from({ length: runs }, () => {
    const started = performance.now();
    work();
    return (performance.now() - started) / 1000;
  }).sort((a, b) => a - b);
  return [times[0], times[runs >> 1], times[runs - 1]];
}
