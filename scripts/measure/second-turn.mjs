// Time to the first token of a chat's second turn after a short and after a long history, and of the same turn with its
// question edited, which branches off at an earlier message: from the message to the first piece of the reply, including
// template and tokenizer. Only the new text has to be read.
// Usage, after `npm run bootstrap`: node scripts/measure/second-turn.mjs MODEL [--runs 5] [--history 100,4000] [--load JSON]
// MODEL may be a folder of large-models.mjs, which has no tokenizer: then it chats with the demo's.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';
import { openShape } from './shapes/open-shape.mjs';

reportUncaught();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    history: { type: 'string', default: '100,4000' },
    load: { type: 'string', default: '{}' },
  },
});
const TEXT = readFileSync(new URL('./opticks.txt', import.meta.url), 'utf8').split(/\s+/);
const NEW_WORDS = 30;
const REPLY_TOKENS = 8;

const histories = values.history.split(',').map(Number);
const runs = Number(values.runs);
const [source] = positionals;
if (source === undefined || !(runs >= 1) || histories.some(tokens => !(tokens >= 50))) {
  console.error(
    'Usage: node scripts/measure/second-turn.mjs MODEL [--runs 5] [--history 100,4000] [--load JSON]',
  );
  process.exit(2);
}

const { openLocalModel } = await import(new URL('../../dist/run/open-local-model.js', import.meta.url));
const { localSource } = await import(new URL('../../dist/model/model-source.js', import.meta.url));
const options = {
  contextLength: Math.max(...histories) + 512,
  cwd: process.cwd(),
  env: process.env,
  ...JSON.parse(values.load),
};
const chat =
  (await openShape(source, options)) ?? (await openLocalModel(localSource(source, options), options));
const { model } = chat;
const user = content => ({ role: 'user', content });

/** Words from the text, from a place of its own for each run, until the prompt has `tokens` tokens. */
function firstMessage(tokens, run) {
  let words = Math.round(tokens / 2);
  for (;;) {
    const content = TEXT.slice(37 * run, 37 * run + words).join(' ');
    const missing = tokens - model.countTokens({ messages: [user(content)], tools: [] });
    if (missing <= 0) return content;
    words += Math.max(1, Math.floor(missing / 2));
    if (words + 37 * run > TEXT.length) throw new Error('the text is too short for such a history');
  }
}

/** Words from the end of the text, others for each number. */
const question = number =>
  user(
    TEXT.slice(-NEW_WORDS * (number + 1))
      .slice(0, NEW_WORDS)
      .join(' '),
  );

/** The reply's text, and milliseconds to its first piece as the caller and as the engine have it. */
async function reply(messages, maxTokens) {
  const start = performance.now();
  let text = '';
  let first;
  const stream = model.reply({ messages, tools: [], sampling: { maxTokens, temperature: 0 } });
  for (;;) {
    const step = await stream.next();
    if (step.done) return { text, first: first ?? performance.now() - start, stats: step.value };
    if (step.value.type === 'prefill') continue;
    first ??= performance.now() - start;
    text += step.value.text ?? '';
  }
}

async function timed(messages) {
  const { first, stats } = await reply(messages, 1);
  const { promptTokens, cachedTokens, firstTokenMs } = stats;
  return { first, engine: firstTokenMs, read: promptTokens - cachedTokens, cached: cachedTokens };
}

async function measure(tokens, run) {
  const history = [user(firstMessage(tokens, run))];
  const { text } = await reply(history, REPLY_TOKENS);
  const answered = [...history, { role: 'assistant', content: text }];
  const second = await timed([...answered, question(2 * run)]);
  return { second, edited: await timed([...answered, question(2 * run + 1)]) };
}

const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];
const spread = (numbers, digits) =>
  [Math.min(...numbers), median(numbers), Math.max(...numbers)]
    .map(number => number.toFixed(digits))
    .join(' / ');

const results = histories.map(() => []);
await measure(histories[0], runs);
for (let run = 0; run < runs; run++) {
  for (const [index, tokens] of histories.entries()) results[index].push(await measure(tokens, run));
}
await chat.close();
for (const [turn, name] of Object.entries({ second: 'second turn', edited: 'its question edited' })) {
  for (const [index, tokens] of histories.entries()) {
    const of = key => results[index].map(result => result[turn][key]);
    const counts = `${median(of('read'))} tokens read, ${median(of('cached'))} from the cache`;
    const times = `${spread(of('first'), 1)} ms (engine ${spread(of('engine'), 1)})`;
    console.log(`${name} after ${tokens} tokens: ${times}, ${counts}`);
  }
  const ratios = results.at(-1).map((result, run) => result[turn].first / results[0][run][turn].first);
  console.log(`${name}, the last over the first, run by run: ${spread(ratios, 2)}`);
}
