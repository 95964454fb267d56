// The held-out requests and dialogues of models/demo/heldout, and the demo's own script with its tools in several orders: each
// case is asked and judged by the rules.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_CONFIG } from '../../dist/cli/settings/demo.js';
import { demoFiles } from '../../dist/model/demo-model.js';
import { answer, casesOf } from './demo-model.mjs';
import { judgeDenial, judgePlain, stepsDone } from './rules.mjs';

const demo = new URL('../../models/demo/', import.meta.url);
const read = name => readFileSync(new URL(name, demo));
/** Tools by server; a case lists those of some servers, in that order. */
const servers = JSON.parse(read('heldout/servers.json'));
const toolsOf = list => list.split('+').flatMap(name => servers[name]);
const user = content => ({ role: 'user', content });

/** Each set: its cases, what they are asked, and the verdicts that count as what is being measured. */
export const SETS = {
  denial: {
    ask: askDenial,
    kindOf: ({ tool }) => ownerOf(tool),
    bad: 'denied',
    says: 'denied a listed tool',
  },
  plain: { ask: askPlain, kindOf: ({ kind }) => kind, bad: 'refused', says: 'refused a plain request' },
  dialogues: { ask: askDialogue, kindOf: ({ kind }) => kind, bad: undefined, says: undefined },
  scripted: { ask: askDialogue, kindOf: ({ kind }) => kind, bad: undefined, says: undefined },
};
/** Of the tools, in which the demo's script is asked; the first is the servers' own. */
const ORDERS = 20;

/** Those with the same tools side by side, so that their common prompt is read once. */
export function casesOfSet(name) {
  if (name === 'scripted') {
    const [script] = casesOf(read('scripted.jsonl').toString());
    return Array.from({ length: ORDERS }, (_, order) => ({ ...script, id: `scripted-${order}`, order }));
  }
  return casesOf(read(`heldout/${name}.jsonl`).toString()).sort((a, b) =>
    a.list < b.list ? -1 : a.list > b.list ? 1 : 0,
  );
}

/** Of what a verdict depends on, but the program. */
export function demoFingerprint() {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(demoFiles(process.env).adapter, 'adapters.safetensors')));
  for (const name of ['chat_template.jinja', 'heldout/servers.json']) hash.update(read(name));
  for (const name of ['./rules.mjs', './heldout-sets.mjs'])
    hash.update(readFileSync(new URL(name, import.meta.url)));
  hash.update(JSON.stringify(DEMO_CONFIG));
  return hash.digest('hex').slice(0, 16);
}

function ownerOf(tool) {
  return Object.keys(servers).find(name => servers[name].some(one => one.name === tool));
}

function definitions(list, order = 0) {
  const sorted =
    order === 0 ? toolsOf(list) : toolsOf(list).toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  return sorted.map(definition => ({ type: 'function', function: definition }));

  function place({ name }) {
    return createHash('sha256').update(`${order} ${name}`).digest('hex');
  }
}

async function askDenial(model, one) {
  const answered = await answer(model, { messages: [user(one.user)], tools: definitions(one.list) });
  return { verdict: judgeDenial(one, answered), answered };
}

async function askPlain(model, one) {
  const request = { messages: [user(one.user)], tools: definitions(one.list) };
  const answered = await answer(model, { ...request, maxTokens: one.names ? 128 : 80 });
  return {
    verdict: judgePlain(
      one,
      answered,
      toolsOf(one.list).map(({ name }) => name),
    ),
    answered,
  };
}

/** Right if every reply is; the history before and between is as it should have gone. */
async function askDialogue(model, { list, order, given, judged }) {
  const messages = given.flatMap(messagesOf);
  let at = 0;
  while (at < judged.length) {
    if (judged[at].user !== undefined) {
      messages.push(...messagesOf(judged[at++]));
      continue;
    }
    const answered = await answer(model, { messages, tools: definitions(list, order), maxTokens: 256 });
    const done = stepsDone(judged.slice(at), answered);
    if (done === 0) return { verdict: wrong(judged[at], answered), answered, at };
    if (answered.calls.length === 0) messages.push({ role: 'assistant', content: answered.text });
    else messages.push(...round(answered, judged.slice(at, at + done)));
    at += done;
  }
  return { verdict: 'right' };
}

function wrong({ call, asks }, { calls, malformed }) {
  const called = calls.length + malformed > 0;
  if (call) return called ? 'other call' : 'no call';
  return called ? 'called' : asks ? 'not asked' : 'other text';
}

/** A reply with its calls and their results. */
function round({ calls, text }, steps) {
  const made = calls.map((call, index) => ({ id: `call_${index}`, type: 'function', function: call }));
  const results = steps.map(({ result }, index) => ({
    role: 'tool',
    content: result,
    tool_call_id: made[index].id,
    name: made[index].function.name,
  }));
  return [{ role: 'assistant', content: text, tool_calls: made }, ...results];
}

function messagesOf(step) {
  if (step.user !== undefined) return [user(step.user)];
  if (step.say !== undefined) return [{ role: 'assistant', content: step.say }];
  const [name, args] = step.call;
  return round({ calls: [{ name, arguments: args }], text: '' }, [step]);
}
