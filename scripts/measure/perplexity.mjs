// Perplexity of a text, once for each set of environment variables: what faster arithmetic costs in accuracy.
// The text, scripts/measure/opticks.txt, is the beginning of the Queries at the end of Isaac Newton's Opticks (fourth
// edition, London 1730), in the public domain. It is read in independent windows; every token of a window
// except its first counts.
// Usage, after `npm run bootstrap`:
//   node scripts/measure/perplexity.mjs MODEL [--with NAME=VALUE[,NAME=VALUE...]]... [--window 512] [--chunk N] [--text FILE]
//     [--load JSON]
// --with: a run with these variables; further runs are compared with the first, a single one with none.
// --chunk: prompt tokens per step; 1 computes as in decoding.
// --load: options of loadEngine, such as '{"quantize":"4"}'.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';

reportUncaught();

const TEXT = fileURLToPath(new URL('./opticks.txt', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', multiple: true },
    window: { type: 'string', default: '512' },
    chunk: { type: 'string' },
    text: { type: 'string', default: TEXT },
    load: { type: 'string', default: '{}' },
    measure: { type: 'boolean' },
  },
});
const [model] = positionals;
const window = Number(values.window);

/** In a process of its own: the engine reads its variables once. */
async function measure() {
  const { loadEngine, loadTokenizer } = await import(new URL('../../dist/index.js', import.meta.url));
  // Line breaks are the editor's, paragraphs the author's.
  const text = readFileSync(values.text, 'utf8')
    .trim()
    .replace(/(?<!\n)\n(?!\n)/g, ' ');
  const ids = loadTokenizer(model).encode(text);
  const engine = await loadEngine(model, { contextLength: window + 1, ...JSON.parse(values.load) });
  const chunk = values.chunk === undefined ? {} : { prefillChunk: Number(values.chunk) };
  const start = performance.now();
  let sum = 0;
  let count = 0;
  for (let from = 0; from + 1 < ids.length; from += window) {
    const promptIds = ids.slice(from, from + window);
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
  await engine.close();
  const seconds = (performance.now() - start) / 1000;
  await engine.close();
  console.log(JSON.stringify({ perplexity: Math.exp(-sum / count), tokens: count, seconds }));
}

function run(setting) {
  const variables = Object.fromEntries(
    setting
      .split(',')
      .filter(part => part !== '')
      .map(part => [part.split('=', 1)[0], part.slice(part.indexOf('=') + 1)]),
  );
  const { status, stdout } = spawnSync(process.execPath, [...process.argv.slice(1), '--measure'], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

function compare() {
  const settings = values.with?.length === 1 ? ['', ...values.with] : (values.with ?? ['']);
  let base;
  for (const setting of settings) {
    const { perplexity, tokens, seconds } = run(setting);
    base ??= perplexity;
    const change = `${(100 * (perplexity / base - 1)).toFixed(3)} %`;
    const name = setting === '' ? 'as it is' : setting;
    console.log(
      `${name}: perplexity ${perplexity.toFixed(4)} (${change}), ${tokens} tokens, ${seconds.toFixed(1)} s`,
    );
  }
}

if (model === undefined || !(Number.isInteger(window) && window >= 2)) {
  console.error(
    'Usage: node scripts/measure/perplexity.mjs MODEL [--with NAME=VALUE,...]... [--window 512] [--chunk N]',
  );
  console.error('  [--text FILE] [--load JSON]');
  process.exitCode = 2;
} else if (values.measure) {
  await measure();
} else {
  compare();
}
