// The demo model's calls on the held-out cases of models/demo, alternately free and constrained by a grammar: how many
// fit their tools' schemas before any repair, and the speed in tokens per second.
// Usage, after `npm run bootstrap`: node lab/demo/constrained-calls.mjs [--calls 200] [--temperature 0] [--json FILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openLocalModel } from '../../dist/run/open-local-model.js';
import { reportUncaught } from '../../scripts/lib/setup-error.mjs';

reportUncaught();

const MAX_TOKENS = 256;

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '200' },
    temperature: { type: 'string', default: '0' },
    json: { type: 'string' },
  },
});
const wanted = Number(options.calls);
if (!(wanted >= 1)) {
  console.error('Usage: node lab/demo/constrained-calls.mjs [--calls 200] [--temperature 0] [--json FILE]');
  process.exit(2);
}
const demo = new URL('../../models/demo/', import.meta.url);
const tools = JSON.parse(readFileSync(new URL('heldout-tools.json', demo), 'utf8'));
const cases = readFileSync(new URL('heldout.jsonl', demo), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))
  .filter(one => one.expect);
const ajv = new Ajv2020({ strict: false });
const valid = Object.fromEntries(
  Object.entries(tools).map(([name, tool]) => [name, ajv.compile(tool.parameters)]),
);
const opened = await openLocalModel(
  { kind: 'demo', text: 'demo' },
  {
    contextLength: 0,
    onProgress: () => undefined,
    cwd: process.cwd(),
    env: process.env,
  },
);
const modes = { free: empty(), held: empty() };
// Grammars are compiled once, which is not part of the speed.
await score(cases[0], empty(), true, 1);
let tried = 0;
for (const one of spread(cases)) {
  if (modes.held.calls >= wanted) break;
  tried += 1;
  const order = tried % 2 === 0 ? ['free', 'held'] : ['held', 'free'];
  for (const mode of order) await score(one, modes[mode], mode === 'held', tried);
  if (process.stderr.isTTY) process.stderr.write(`\r${modes.held.calls}/${wanted}`);
}
await opened.close();
report();
process.exit(modes.held.valid === modes.held.calls ? 0 : 1);

function empty() {
  return { replies: 0, calls: 0, valid: 0, malformed: 0, tokens: 0, seconds: 0 };
}

/** All kinds of cases from the start on. */
function spread(list) {
  const step = 7;
  return Array.from({ length: step }, (_, first) =>
    list.filter((_one, index) => index % step === first),
  ).flat();
}

async function score(one, sums, constrainCalls, seed) {
  const definitions = one.tools.map(name => ({ type: 'function', function: tools[name] }));
  const sampling = { temperature: Number(options.temperature), maxTokens: MAX_TOKENS, seed };
  const found = [];
  const reply = opened.model.reply({ messages: one.messages, tools: definitions, sampling, constrainCalls });
  let started = performance.now();
  let step = await reply.next();
  for (; !step.done; step = await reply.next()) {
    const event = step.value;
    if (event.type === 'prefill') started = performance.now();
    if (event.type === 'call' || event.type === 'malformed') found.push(event);
  }
  sums.replies += 1;
  if (found.length === 0) return;
  sums.seconds += (performance.now() - started) / 1000;
  sums.tokens += step.value.generatedTokens;
  for (const event of found) {
    sums.calls += 1;
    if (event.type === 'malformed') sums.malformed += 1;
    else if (one.tools.includes(event.name) && valid[event.name](event.arguments)) sums.valid += 1;
  }
}

function report() {
  for (const [mode, { replies, calls, valid, malformed, tokens, seconds }] of Object.entries(modes)) {
    const share = ((100 * valid) / calls).toFixed(1);
    console.log(
      `${mode}: ${valid} of ${calls} calls fit their schemas (${share} %), ${malformed} unreadable, in ${replies} replies; ${(tokens / seconds).toFixed(1)} tokens/s in replies with a call`,
    );
  }
  const rate = mode => modes[mode].tokens / modes[mode].seconds;
  const ratio = rate('held') / rate('free');
  console.log(`token rate held/free: ${(100 * ratio).toFixed(1)} %`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ ...modes, ratio }, null, 2)}\n`);
}
