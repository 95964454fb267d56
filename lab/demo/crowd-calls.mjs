// How rightly the demo model uses its own tools beside those of many other servers, which `tools.budget` chooses from: held-out
// cases of models/demo with all ten tools of the bundled servers, alone and beside others of test/fixtures/crowd.
// Usage: node lab/demo/crowd-calls.mjs [--tools 10,49,390] [--every 3] [--pin calculator,files] [--cases FILE] [--failures]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ToolMeter } from '../../dist/agent/offer/tool-budget.js';
import { ToolOffer } from '../../dist/agent/offer/tool-offer.js';
import { Rankings } from '../../dist/agent/offer/tool-ranking.js';
import { DEMO_CONFIG } from '../../dist/cli/settings/demo.js';
import { offeredNames } from '../../dist/mcp/calls/offered-tools.js';
import { answer, casesOf, heldoutCases, heldoutTools, openDemo, plain, same } from './demo-model.mjs';

const OWN = ['add', 'subtract', 'multiply', 'divide', 'power', 'square_root'];
const OWN_FILES = ['list_files', 'read_file', 'write_file', 'delete_file'];

const { values: options } = parseArgs({
  options: {
    tools: { type: 'string', default: '10,49,390' },
    every: { type: 'string', default: '3' },
    // Others in the format of models/demo/heldout.jsonl, for trying out.
    cases: { type: 'string' },
    // As `demo` has it; '' for none.
    pin: { type: 'string', default: DEMO_CONFIG.tools.pinned.join(',') },
    failures: { type: 'boolean', default: false },
  },
});
const definitions = heldoutTools();
const recorded = JSON.parse(
  readFileSync(new URL('../../test/fixtures/crowd/tools.json', import.meta.url), 'utf8'),
);
const cases = (options.cases ? casesOf(readFileSync(options.cases, 'utf8')) : heldoutCases())
  .filter(({ group, tools }) => group === 'bundled' && tools.length === 10)
  .filter((_, index) => index % Number(options.every) === 0);

const own = [...OWN, ...OWN_FILES].map(name => ({
  server: OWN.includes(name) ? 'calculator' : 'files',
  tool: name,
  definition: definitions[name],
}));
const others = recorded.flatMap(({ server, tools }) =>
  tools.map(({ name, description = '', inputSchema: { $schema: _, ...schema } }) => ({
    server: server.name,
    tool: name,
    definition: { description, parameters: { type: 'object', properties: {}, ...schema } },
  })),
);

/** The bundled tools beside others, evenly from all servers, under the names that the model would see. */
function hostTools(count) {
  const step = others.length / Math.max(1, count - own.length);
  const chosen = others.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const all = [...own, ...(count > own.length ? chosen : [])].slice(0, count);
  const names = offeredNames(all);
  return all.map(({ server, tool, definition }, index) => ({
    definition: { type: 'function', function: { ...definition, name: names[index] } },
    server,
    tool,
    readOnly: false,
  }));
}

const opened = await openDemo();
const { model } = opened;
const shared = { meter: new ToolMeter(model), rankings: new Rankings() };
for (const count of options.tools.split(',').map(Number)) {
  const tools = hostTools(count);
  const tally = { right: 0, offered: 0, tokens: 0, listed: 0 };
  const reasons = {};
  for (const one of cases) {
    const { reason, ...counted } = await score(one, tools);
    for (const [name, value] of Object.entries(counted)) tally[name] += Number(value);
    if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const share = part => `${part} of ${cases.length} (${((100 * part) / cases.length).toFixed(1)} %)`;
  const mean = sum => (sum / cases.length).toFixed(1);
  console.log(
    `${tools.length} tools: right ${share(tally.right)}, the right one offered ${share(tally.offered)}; on average ` +
      `${mean(tally.listed)} definitions of ${mean(tally.tokens)} tokens; ${plain(reasons)}`,
  );
}
await opened.close();
process.exit(0);

async function score({ messages, expect, id }, tools) {
  const offer = new ToolOffer({ model, shared, pinned: options.pin.split(',') }).next(tools, messages);
  const { calls } = await answer(model, {
    messages: offer.messages,
    tools: offer.tools.map(({ definition }) => definition),
    listed: offer.listed,
  });
  const isRight = tool => tool.tool === expect.name && ['calculator', 'files'].includes(tool.server);
  const offered = offer.tools.some(isRight);
  const reason = whyWrong({ calls, expect, offered, isRight, tools });
  if (reason !== undefined && options.failures)
    console.log(
      `${id} ${messages.at(-1).content}\n  ${reason}: wanted ${plain(expect)}\n  got ${plain(calls)}\n  of ` +
        offer.tools.map(({ definition }) => definition.function.name).join(' '),
    );
  return {
    right: reason === undefined,
    offered,
    reason,
    tokens: shared.meter.all(offer.listed),
    listed: offer.listed.length,
  };
}

/** undefined: the call is right. */
function whyWrong({ calls, expect, offered, isRight, tools }) {
  if (!offered) return 'not offered';
  if (calls.length === 0) return 'no call';
  if (calls.length > 1) return 'several calls';
  const [{ name, arguments: args }] = calls;
  const called = tools.find(({ definition }) => definition.function.name === name);
  if (called && isRight(called)) return same(args, expect.arguments) ? undefined : 'other arguments';
  if (called === undefined) return name;
  return ['calculator', 'files'].includes(called.server) ? "another of the demo's" : "another server's";
}
