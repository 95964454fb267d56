// The demo model on its held-out cases: greedy and constrained to the tools of a prompt, as `demo` runs.
import { readFileSync } from 'node:fs';
import { DEMO_CONFIG } from '../../dist/cli/settings/demo.js';
import { openLocalModel } from '../../dist/run/open-local-model.js';

/** Tokens of one reply, unless the request says otherwise; a call of the longest held-out case needs about half of it. */
const MAX_TOKENS = 128;

const demo = new URL('../../models/demo/', import.meta.url);

/** Without its servers. */
export function openDemo() {
  return openLocalModel(
    { kind: 'demo', text: 'demo' },
    {
      contextLength: 0,
      adapter: undefined,
      onProgress: () => undefined,
      cwd: process.cwd(),
      env: process.env,
    },
  );
}

/** Definitions by name. */
export function heldoutTools() {
  return JSON.parse(readFileSync(new URL('heldout-tools.json', demo), 'utf8'));
}

export function heldoutCases() {
  return casesOf(readFileSync(new URL('heldout.jsonl', demo), 'utf8'));
}

export function casesOf(text) {
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** What the model answers: `calls`, how many more could not be read, and the text. `request` has at least `messages` and `tools`. */
export async function answer(model, { maxTokens = MAX_TOKENS, ...request }) {
  const answered = { calls: [], malformed: 0, text: '' };
  const sampling = { ...DEMO_CONFIG.sampling, maxTokens };
  const constrainCalls = DEMO_CONFIG.tools.constrain === 'always';
  for await (const event of model.reply({ ...request, sampling, constrainCalls })) {
    if (event.type === 'call') answered.calls.push({ name: event.name, arguments: event.arguments });
    if (event.type === 'malformed') answered.malformed += 1;
    if (event.type === 'content') answered.text += event.text;
  }
  return answered;
}

/** Equal whatever the order of the keys. */
export function same(a, b) {
  return plain(a) === plain(b);
}

/** As JSON, keys in order. */
export function plain(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return Number(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : 1)));
  });
}
