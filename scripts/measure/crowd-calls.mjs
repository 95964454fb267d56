// How rightly the demo model uses its own tools beside those of many other servers, which `tools.budget` chooses from: held-out
// cases of models/demo with all ten tools of the bundled servers, alone and beside others of test/fixtures/crowd.
// Usage: node scripts/measure/crowd-calls.mjs [--tools 10,49,390] [--every 3] [--failures]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ToolMeter } from '../../dist/agent/offer/tool-meter.js';
import { ToolOffer } from '../../dist/agent/offer/tool-offer.js';
import { Rankings } from '../../dist/agent/offer/tool-ranking.js';
import { DEMO_CONFIG } from '../../dist/cli/settings/demo.js';
import { offeredNames } from '../../dist/mcp/tool-names.js';
import { openLocalModel } from '../../dist/run/open-local-model.js';

const MAX_TOKENS = 128;
const CALCULATOR = new Set(['add', 'subtract', 'multiply', 'divide', 'power', 'square_root']);

const { values: options } = parseArgs({
  options: {
    tools: { type: 'string', default: '10,49,390' },
    every: { type: 'string', default: '3' },
    failures: { type: 'boolean', default: false },
  },
});
const read = path => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const definitions = JSON.parse(read('models/demo/heldout-tools.json'));
const recorded = JSON.parse(read('test/fixtures/crowd/tools.json'));
const cases = read('models/demo/heldout.jsonl')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))
  .filter(({ group, tools }) => group === 'bundled' && tools.length === 10)
  .filter((_, index) => index % Number(options.every) === 0);

const own = cases[0].tools.map(name => ({
  ...{ server: CALCULATOR.has(name) ? 'calculator' : 'files', tool: name },
  definition: definitions[name],
}));
const others = recorded.flatMap(({ server, tools }) =>
  tools.map(({ name, description = '', inputSchema: { $schema: _, ...schema } }) => ({
    ...{ server: server.name, tool: name },
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
    ...{ server, tool, readOnly: false },
  }));
}

const opened = await openLocalModel('demo', {
  contextLength: 0,
  adapter: undefined,
  onProgress: () => undefined,
  cwd: process.cwd(),
  env: process.env,
});
const { model } = opened;
const shared = { meter: new ToolMeter(model), rankings: new Rankings() };
for (const count of options.tools.split(',').map(Number)) {
  const tools = hostTools(count);
  const tally = { right: 0, offered: 0, namesake: 0, tokens: 0 };
  for (const one of cases) await score(one, tools, tally);
  const share = part => `${part} of ${cases.length} (${((100 * part) / cases.length).toFixed(1)} %)`;
  console.log(
    `${tools.length} tools: right ${share(tally.right)}, the right one offered ${share(tally.offered)}, a namesake of another server called ` +
      `${tally.namesake}; ${Math.round(tally.tokens / cases.length)} tokens of definitions`,
  );
}
await opened.close();
process.exit(0);

async function score({ messages, expect, id }, tools, tally) {
  const offer = new ToolOffer({ model, shared }).next(tools, messages);
  const right = tool => tool.tool === expect.name && ['calculator', 'files'].includes(tool.server);
  const request = {
    messages: offer.messages,
    tools: offer.tools.map(({ definition }) => definition),
    listed: offer.listed,
    sampling: { ...DEMO_CONFIG.sampling, maxTokens: MAX_TOKENS },
    constrainCalls: DEMO_CONFIG.tools.constrain === 'always',
  };
  tally.tokens += shared.meter.all(offer.listed);
  if (offer.tools.some(right)) tally.offered += 1;
  const calls = [];
  for await (const event of model.reply(request)) if (event.type === 'call') calls.push(event);
  const called = tools.find(({ definition }) => definition.function.name === calls[0]?.name);
  const same = calls.length === 1 && sorted(calls[0].arguments) === sorted(expect.arguments);
  if (called && right(called) && same) tally.right += 1;
  else {
    if (called && !right(called) && called.tool === expect.name) tally.namesake += 1;
    if (options.failures)
      console.log(
        `${id} ${messages.at(-1).content}\n  wanted ${JSON.stringify(expect)}\n  got ${JSON.stringify(calls)}`,
      );
  }
}

/** Equal whatever the order of the keys. */
function sorted(args) {
  const entries = Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
}
