// Scores the demo model on the held-out cases of models/demo through the whole product path: template, tokenizer,
// engine, parser; greedy and constrained to the listed tools, as `demo` runs.
// Usage: node scripts/measure/demo-calls.mjs [--limit N] [--failures] [--json FILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DEMO_CONFIG } from '../../dist/cli/settings/demo.js';
import { openLocalModel } from '../../dist/run/open-local-model.js';

/** Tokens of one reply; a call of the longest case needs about half of it. */
const MAX_TOKENS = 128;

const { values: options } = parseArgs({
  options: { limit: { type: 'string' }, failures: { type: 'boolean' }, json: { type: 'string' } },
});
const demo = new URL('../../models/demo/', import.meta.url);
const tools = JSON.parse(readFileSync(new URL('heldout-tools.json', demo), 'utf8'));
const cases = readFileSync(new URL('heldout.jsonl', demo), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line));
// Cases with the same tools are adjacent, so that their common prompt is read once.
cases.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));

const opened = await openLocalModel('demo', {
  contextLength: 0,
  adapter: undefined,
  onProgress: () => undefined,
  cwd: process.cwd(),
  env: process.env,
});
const results = [];
for (const one of cases.slice(0, Number(options.limit ?? cases.length))) {
  results.push(await score(one));
  if (process.stderr.isTTY) process.stderr.write(`\r${results.length}/${cases.length}`);
}
await opened.close();
report();
process.exit(0);

function key(one) {
  return JSON.stringify([one.messages[0].role === 'system' ? one.messages[0].content : '', one.tools]);
}

async function score(one) {
  const definitions = one.tools.map(name => ({ type: 'function', function: tools[name] }));
  const calls = [];
  let malformed = 0;
  let text = '';
  const sampling = { ...DEMO_CONFIG.sampling, maxTokens: MAX_TOKENS };
  const constrainCalls = DEMO_CONFIG.tools.constrain === 'always';
  const request = { messages: one.messages, tools: definitions, sampling, constrainCalls };
  for await (const event of opened.model.reply(request)) {
    if (event.type === 'call') calls.push({ name: event.name, arguments: event.arguments });
    if (event.type === 'malformed') malformed += 1;
    if (event.type === 'content') text += event.text;
  }
  const called = calls.length + malformed > 0;
  const right = one.expect ? malformed === 0 && calls.length === 1 && same(calls[0], one.expect) : !called;
  const unlisted = calls.filter(call => !one.tools.includes(call.name)).length;
  if (!right && options.failures) {
    const asked = one.messages.at(-1).content;
    console.log(
      `${one.id} ${asked}\n  wanted ${JSON.stringify(one.expect)}\n  got    ${JSON.stringify(calls)} ${text.trim()}`,
    );
  }
  return { id: one.id, group: one.group, right, called, unlisted };
}

/** Equal whatever the order of the keys. */
function same(a, b) {
  const sorted = value =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map(name => [name, sorted(value[name])]),
        )
      : value;
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function report() {
  const groups = groupBy(results);
  const summary = {};
  for (const [group, members] of Object.entries(groups)) {
    const right = members.filter(one => one.right).length;
    summary[group] = { cases: members.length, right, share: right / members.length };
    console.log(
      `${group}: ${right} of ${members.length} right (${((100 * right) / members.length).toFixed(1)} %)`,
    );
  }
  summary.unlisted = results.reduce((sum, one) => sum + one.unlisted, 0);
  console.log(`calls of a tool that is not listed: ${summary.unlisted}`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(summary, null, 2)}\n`);
}

function groupBy(list) {
  const groups = {};
  for (const one of list) {
    groups[one.group] ??= [];
    groups[one.group].push(one);
  }
  return groups;
}
