// Perplexity of a text, once for each set of environment variables: what faster arithmetic costs in accuracy.
// The text, scripts/measure/opticks.txt, is the beginning of the Queries at the end of Isaac Newton's Opticks (fourth
// edition, London 1730), in the public domain. It is read in independent windows; every token of a window
// except its first counts.
// Usage, after `npm run bootstrap`:
//   node scripts/measure/perplexity.mjs MODEL [--with NAME=VALUE[,NAME=VALUE...]]... [--window 512] [--chunk N] [--text FILE]
//     [--load JSON] [--bos] [--windows N] [--beside-llama]
// --with: a run with these variables; further runs are compared with the first, a single one with none.
// --chunk: prompt tokens per step; 1 computes as in decoding.
// --load: options of loadEngine, such as '{"quantize":"4"}'.
// --bos: every window begins with the model's BOS token.
// --windows: only the first ones.
// --beside-llama: llama.cpp's too, of the same .gguf file and ids (needs peers/install.mjs).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';

reportUncaught();

const TEXT = fileURLToPath(new URL('./opticks.txt', import.meta.url));
const LLAMA = fileURLToPath(new URL('./peers/llama_cpp_perplexity.mjs', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', multiple: true },
    window: { type: 'string', default: '512' },
    windows: { type: 'string', default: 'Infinity' },
    chunk: { type: 'string' },
    text: { type: 'string', default: TEXT },
    load: { type: 'string', default: '{}' },
    bos: { type: 'boolean', default: false },
    'beside-llama': { type: 'boolean', default: false },
    measure: { type: 'boolean' },
  },
});
const [model] = positionals;
const window = Number(values.window);
const most = Number(values.windows);

const fromDist = path => import(new URL(`../../dist/${path}`, import.meta.url));

/** The text's ids, in windows of at least two. */
async function windowsOfText() {
  const { loadTokenizer } = await fromDist('index.js');
  // Line breaks are the editor's, paragraphs the author's.
  const text = readFileSync(values.text, 'utf8')
    .trim()
    .replace(/(?<!\n)\n(?!\n)/g, ' ');
  const tokenizer = loadTokenizer(model);
  const first = values.bos ? [bosOf(tokenizer)] : [];
  const ids = tokenizer.encode(text);
  const size = window - first.length;
  const windows = [];
  for (let from = 0; from + 1 - first.length < ids.length && windows.length < most; from += size) {
    windows.push([...first, ...ids.slice(from, from + size)]);
  }
  return windows;
}

function bosOf(tokenizer) {
  const { bosToken } = tokenizer;
  const id = bosToken === undefined ? undefined : tokenizer.idOf(bosToken);
  if (id === undefined) throw new Error(`--bos: ${model} has no BOS token`);
  return id;
}

/** In a process of its own: the engine reads its variables once. */
async function measure() {
  const { loadEngine } = await fromDist('index.js');
  const windows = await windowsOfText();
  const engine = await loadEngine(model, { contextLength: window + 1, ...JSON.parse(values.load) });
  const chunk = values.chunk === undefined ? {} : { prefillChunk: Number(values.chunk) };
  const start = performance.now();
  let sum = 0;
  let count = 0;
  for (const promptIds of windows) {
    const stream = engine.generate({
      promptIds,
      promptLogprobs: true,
      maxTokens: 1,
      ignoreEos: true,
      ...chunk,
    });
    let step = await stream.next();
    while (!step.done) step = await stream.next();
    const scores = step.value.promptLogprobs ?? [];
    for (const score of scores) sum += score;
    count += scores.length;
  }
  const seconds = (performance.now() - start) / 1000;
  await engine.close();
  console.log(JSON.stringify({ perplexity: Math.exp(-sum / count), tokens: count, seconds }));
}

function child(args, variables, input) {
  const { status, stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...variables },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'inherit'],
    input,
    encoding: 'utf8',
  });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

function run(setting) {
  const variables = Object.fromEntries(
    setting
      .split(',')
      .filter(part => part !== '')
      .map(part => [part.split('=', 1)[0], part.slice(part.indexOf('=') + 1)]),
  );
  return child([...process.argv.slice(1), '--measure'], variables);
}

async function runLlama() {
  const { peersFolder } = await fromDist('bench/peers.js');
  const threads = Number(process.env.LLM_HOST_THREADS ?? 0);
  const task = JSON.stringify({ model, windows: await windowsOfText(), threads });
  return child([LLAMA, peersFolder(process.env)], {}, task);
}

async function compare() {
  const settings = values.with?.length === 1 ? ['', ...values.with] : (values.with ?? ['']);
  let base;
  const say = (name, { perplexity, tokens, seconds }) => {
    base ??= perplexity;
    const change = `${(100 * (perplexity / base - 1)).toFixed(3)} %`;
    console.log(
      `${name}: perplexity ${perplexity.toFixed(4)} (${change}), ${tokens} tokens, ${seconds.toFixed(1)} s`,
    );
  };
  for (const setting of settings) say(setting === '' ? 'as it is' : setting, run(setting));
  if (!values['beside-llama']) return;
  const llama = await runLlama();
  say(`llama.cpp (node-llama-cpp ${llama.version})`, llama);
}

if (
  model === undefined ||
  !(Number.isInteger(window) && window >= 2 && most >= 1) ||
  (values['beside-llama'] && !model.endsWith('.gguf'))
) {
  console.error(
    'Usage: node scripts/measure/perplexity.mjs MODEL [--with NAME=VALUE,...]... [--window 512] [--chunk N]',
  );
  console.error('  [--text FILE] [--load JSON] [--bos] [--windows N] [--beside-llama, with a .gguf file]');
  process.exitCode = 2;
} else if (values.measure) {
  await measure();
} else {
  await compare();
}
