// Scores the demo model on the held-out cases of models/demo through the whole product path: template, tokenizer,
// engine, parser; greedy and constrained to the listed tools, as `demo` runs.
// Usage: node lab/demo/calls.mjs [--limit N] [--failures] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answer, heldoutCases, heldoutTools, openDemo, plain, same } from './demo-model.mjs';
import { groupBy } from './score-table.mjs';

const { values: options } = parseArgs({
  options: { limit: { type: 'string' }, failures: { type: 'boolean' }, json: { type: 'string' } },
});
const tools = heldoutTools();
const cases = heldoutCases();
// Cases with the same tools are adjacent, so that their common prompt is read once.
cases.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));

const opened = await openDemo();
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
  const { calls, malformed, text } = await answer(opened.model, {
    messages: one.messages,
    tools: definitions,
  });
  const called = calls.length + malformed > 0;
  const right = one.expect ? malformed === 0 && calls.length === 1 && same(calls[0], one.expect) : !called;
  const unlisted = calls.filter(call => !one.tools.includes(call.name)).length;
  if (!right && options.failures) {
    const asked = one.messages.at(-1).content;
    console.log(`${one.id} ${asked}\n  wanted ${plain(one.expect)}\n  got    ${plain(calls)} ${text.trim()}`);
  }
  return { id: one.id, group: one.group, right, called, unlisted };
}

function report() {
  const groups = groupBy(results, one => one.group);
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
