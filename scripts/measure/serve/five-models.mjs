// Five models by name on one `llm-host serve` that finds memory for two of the larger ones, or may have two at a time (--max-models):
// mixed requests of several clients in a random order, each answered or asked to come again; what was loaded meanwhile, the largest
// memory, and how long a swap takes.
// Usage, after `npm run bootstrap` and peers/install.mjs (makes folders of 0.4 GB in the cache when it is first run):
//   node scripts/measure/serve/five-models.mjs [--requests 200] [--clients 6] [--seed 1] [--limit-mb 1100] [--max-models 5] [--swaps 20]
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { demoWeightsPath } from '../../build/demo-weights.mjs';
import { fetchMinilm } from '../../lib/minilm.mjs';
import { serveDemo } from '../../lib/served-demo.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { answered, mixedRequests } from './mixed-requests.mjs';
import { smollm2Folders } from './smollm2-folders.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '200' },
    clients: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    'limit-mb': { type: 'string', default: '1100' },
    'max-models': { type: 'string', default: '5' },
    swaps: { type: 'string', default: '20' },
  },
});
const optionNames = ['requests', 'clients', 'seed', 'limit-mb', 'max-models', 'swaps'];
const numbers = optionNames.map(name => Number(values[name]));
const [requests, clients, seed, limitMb, maxModels, swaps] = numbers;
if (!numbers.every(number => Number.isInteger(number) && number > 0) || maxModels === 1) {
  console.error(`--${optionNames.join(', --')} take an integer above 0 each, --max-models one above 1`);
  process.exit(2);
}
const print = line => console.log(JSON.stringify(line));

/** The names of models in memory. */
async function loaded(url) {
  const { models } = await (await fetch(`${url}/api/ps`)).json();
  return models.map(({ name }) => name);
}

/** Looks which models come and go; `stop` says how many came. */
function watchLoads(url) {
  const counts = { loads: 0, mostAtOnce: 0 };
  let ended = false;
  const looking = (async () => {
    for (let before = await loaded(url); !ended; await new Promise(resolve => setTimeout(resolve, 20))) {
      const now = await loaded(url);
      counts.loads += now.filter(name => !before.includes(name)).length;
      counts.mostAtOnce = Math.max(counts.mostAtOnce, now.length);
      before = now;
    }
  })();
  const stop = async () => {
    ended = true;
    await looking;
    return counts;
  };
  return { stop };
}

async function mixed(url, names) {
  const plan = mixedRequests(requests, { ...names, seed });
  const watch = watchLoads(url);
  const texts = new Map();
  const lost = [];
  const figures = { answered: 0, cancelled: 0, cameAgain: 0, differing: 0, slowestMs: 0 };
  const started = performance.now();
  const next = plan.values();
  const client = async () => {
    for (const request of next) {
      try {
        const { text, cancelled, again, ms } = await answered(url, request);
        figures[cancelled ? 'cancelled' : 'answered'] += 1;
        figures.cameAgain += again;
        figures.slowestMs = Math.max(figures.slowestMs, Math.round(ms));
        const key = `${request.model} ${request.kind} ${request.text}`;
        if (!cancelled && (texts.get(key) ?? text) !== text) figures.differing += 1;
        if (!cancelled) texts.set(key, text);
      } catch (error) {
        lost.push(`${request.kind}, ${request.model}: ${error.cause?.message ?? error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = Math.round((performance.now() - started) / 1000);
  return {
    requests,
    clients,
    seconds,
    ...figures,
    lost: lost.length,
    ...(await watch.stop()),
    firstLost: lost[0],
  };
}

/** One request after the other, each to a model for which another has to leave: milliseconds to its answer. */
async function timeSwaps(url, { chats }) {
  const ask = async model => {
    const request = { kind: 'completion', model, text: 'One, two,', cancelMs: 0 };
    return (await answered(url, request)).ms;
  };
  const swapMs = [];
  const warmMs = [];
  for (let at = 0; swapMs.length < swaps && at < 10 * swaps; at += 1) {
    const before = await loaded(url);
    const model = chats[at % chats.length];
    if (before.includes(model)) continue;
    const ms = await ask(model);
    const after = await loaded(url);
    if (before.some(name => !after.includes(name))) swapMs.push(ms);
    warmMs.push(await ask(model));
  }
  const summary = list => {
    const sorted = list.map(Math.round).sort((a, b) => a - b);
    return { median: sorted[sorted.length >> 1], max: sorted.at(-1) };
  };
  return { swaps: swapMs.length, swapMs: summary(swapMs), sameModelAgainMs: summary(warmMs) };
}

/** Resident megabytes now, and the most there have been. Linux only. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = field =>
    Math.round((Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) * 1024) / 1e6);
  return { residentMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}

/** The state that must be left when all clients are gone. */
async function atRest(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = name => Number(new RegExp(`^llm_host_${name} (\\S+)`, 'm').exec(text)[1]);
  return { admitted: value('requests_admitted'), generating: value('generating') };
}

await runMain(async () => {
  const { bfloat16, eightBits } = await smollm2Folders();
  const links = mkdtempSync(join(tmpdir(), 'llm-host-five-'));
  const named = { 'smollm2-bfloat16': bfloat16, 'smollm2-8bit': eightBits, minilm: await fetchMinilm() };
  for (const [name, folder] of Object.entries(named)) symlinkSync(folder, join(links, name));
  symlinkSync(demoWeightsPath(), join(links, 'smollm2-q4.gguf'));
  const others = ['smollm2-q4.gguf', ...Object.keys(named)].flatMap(name => ['--models', join(links, name)]);
  const limit = ['--import', `${new URL('memory-limit.mjs', import.meta.url)}?mb=${limitMb}`];
  const options = ['--no-mcp', '--max-models', `${maxModels}`, '--context', '2048'];
  const server = await serveDemo([...options, ...others], limit);
  try {
    const { url, pid } = server;
    const names = { chats: ['demo', 'smollm2-q4', 'smollm2-bfloat16', 'smollm2-8bit'], embedder: 'minilm' };
    print({ limitMb, maxModels, atStart: memoryOf(pid) });
    const found = await mixed(url, names);
    print({ ...found, ...memoryOf(pid), ...(await atRest(url)) });
    print({ ...(await timeSwaps(url, names)), ...memoryOf(pid) });
    const { peakMb } = memoryOf(pid);
    const { lost, differing, mostAtOnce } = found;
    if (lost + differing > 0 || peakMb > limitMb || mostAtOnce > maxModels)
      throw new SetupError(
        `${lost} requests lost, ${differing} texts differ, ${mostAtOnce} models at once, peak ${peakMb} MB`,
      );
  } finally {
    await server.stop();
    rmSync(links, { recursive: true, force: true });
  }
});
