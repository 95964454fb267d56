// Tokens a second of a model that processes share over the loopback, beside what the formula of docs/evidence/distributed.md makes of
// one process' speed and a latency: of the probe, or given. All processes have the same memory and the same cores. What a
// step of a sum has taken shows with a tiny model, whose token is hardly more than its sums.
// Usage, after `npm run bootstrap`:
//   node scripts/measure/hosts/speed.mjs MODEL MACHINES [--latency MICROSECONDS] [--tokens 64] [--rounds 3]
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { distDir } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { startWorkers, writeHosts } from './loopback-machines.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    latency: { type: 'string' },
    tokens: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
  },
});
const PROMPT = [1, 5, 6, 7, 8, 9];
const CONTEXT = 512;
const ENDLESS = 1e18;
const NO_LINK = { bytesPerSecond: ENDLESS, latency: 0, mesh: false };

const module = path => import(pathToFileURL(join(distDir, path)).href);
const { loadParts } = await module('engine/load-engine.js');
const { localSource } = await module('model/model-source.js');
const sourceOf = model => localSource(model, { cwd: process.cwd() });
const { inspectModel } = await module('model/inspect.js');
const { planModel } = await module('model/distributed/plan-model.js');
const { readGroupHosts } = await module('distributed/leader/group-hosts.js');
const { loadShared } = await module('distributed/leader/load-shared.js');
const { probeWorkers, slowest } = await module('distributed/leader/probe.js');
const { VERSION } = await module('cli/process/version.js');

/** Seconds a token while it writes: of the fastest round. */
async function secondsPerToken(load) {
  const { engine } = await load();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < Number(values.rounds); round++) {
    const maxTokens = Number(values.tokens);
    const job = { promptIds: PROMPT, maxTokens, ignoreEos: true, temperature: 0, lookup: false };
    const replies = engine.generate(job);
    let step = await replies.next();
    while (!step.done) step = await replies.next();
    const { timings, generatedTokens } = step.value;
    best = Math.min(best, timings.decodeMs / 1000 / (generatedTokens - 1));
  }
  await engine.close();
  return best;
}

const options = { contextLength: CONTEXT };
const alone = model => secondsPerToken(() => loadParts(sourceOf(model), options));
const shared = (model, hosts) =>
  secondsPerToken(() => loadShared(sourceOf(model), { hosts, version: VERSION }, options));

/** Each with an equal part of the memory's bandwidth. */
function plan(model, machines, bytesPerSecond, link) {
  const inspected = inspectModel(model, { ...options, cwd: process.cwd(), env: process.env });
  const host = { memoryBytes: ENDLESS, bytesPerSecond: bytesPerSecond / machines };
  const hosts = Array.from({ length: machines }, (_, i) => ({ name: `m${i}`, address: '', ...host }));
  const planned = planModel(inspected, { hosts, link });
  const division = [planned, planned.other].find(one => one?.split === 'tensor');
  if (!division) throw new SetupError(`${model}: ${planned.indivisible}`);
  return division;
}

const micro = seconds => `${(seconds * 1e6).toFixed(0)} µs`;
const speed = seconds => (1 / seconds).toLocaleString('en', { maximumSignificantDigits: 3 });

await runMain(async () => {
  const [given, count] = positionals;
  const machines = Number(count);
  if (given === undefined || !(machines > 1)) throw new SetupError('usage: hosts/speed.mjs MODEL MACHINES');
  const model = existsSync(given) ? resolve(given) : given;
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-hosts-speed-'));
  let workers = [];
  try {
    workers = await startWorkers(folder, writeHosts(folder, machines));
    const hosts = join(folder, 'hosts.json');
    const probed = slowest(await probeWorkers(readGroupHosts(hosts, folder).workers));
    const [one, together] = [await alone(model), await shared(model, hosts)];
    const bandwidth = 1 / plan(model, 1, 1, NO_LINK).tokensPerSecond / one;
    const predicted = latency =>
      1 / plan(model, machines, bandwidth, { ...NO_LINK, latency }).tokensPerSecond;
    const latency = values.latency === undefined ? probed.latency : Number(values.latency) / 1e6;
    const { messages } = plan(model, machines, bandwidth, NO_LINK).wire;
    const step = (together - predicted(0)) / (messages * 2 * (machines - 1));
    console.log(`probe: ${micro(probed.latency)}, ${((probed.bytesPerSecond * 8) / 1e9).toFixed(1)} Gbit/s`);
    console.log(
      '| model | processes | sums a token | a step of a sum | one process, tok/s | predicted | measured |',
    );
    const speeds = [one, predicted(latency), together].map(speed);
    console.log(`| ${[model, machines, messages, micro(step), ...speeds].join(' | ')} |`);
  } finally {
    for (const worker of workers) worker.kill();
    rmSync(folder, { recursive: true });
  }
});
