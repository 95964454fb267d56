// How much a model still knows of a conversation that its context does not hold: 60 turns with 30 facts in a context of 4,096
// tokens, then 30 questions. Prints each answer, how often older turns were summarized, and how many answers were right.
// Usage, after `npm run bootstrap`: node scripts/measure/recall.mjs MODEL [--context 4096] [--facts 30] [--json]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    context: { type: 'string', default: '4096' },
    facts: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  },
});

const NAMES = (
  'Alma Boris Clara David Elena Felix Greta Hugo Irene Jonas Karla Leo Marta Nils Olga Paul Rosa Simon Thea Viktor ' +
  'Wanda Yusuf Zoe Anton Berta Carlos Dora Emil Frida Gustav'
).split(' ');
const CITIES = (
  'Oslo Lisbon Vienna Dublin Athens Prague Warsaw Madrid Zurich Helsinki Rome Budapest Tallinn Riga Porto Geneva ' +
  'Hamburg Turin Krakow Bergen Seville Naples Bruges Lyon Malmo Graz Basel Cork Split Nice'
).split(' ');
/** Words of filler in each message: they fill the context and hold nothing that is asked for. */
const FILLER_WORDS = 60;
const FILLER = readFileSync(new URL('./opticks.txt', import.meta.url), 'utf8').split(/\s+/);
const REPLY_TOKENS = 60;

async function measure(model, facts) {
  const chat = model.chat({
    system: 'You are a helpful assistant.',
    temperature: 0,
    maxTokens: REPLY_TOKENS,
  });
  let summaries = 0;
  const ask = async text => {
    const reply = chat.send(text);
    for await (const event of reply) if (event.type === 'compaction') summaries += 1;
    return (await reply).text;
  };
  for (let turn = 0; turn < 2 * facts; turn++) {
    const at = turn >> 1;
    const passage = FILLER.slice(turn * FILLER_WORDS, (turn + 1) * FILLER_WORDS).join(' ');
    const said = turn % 2 === 0 ? `My friend ${NAMES[at]} lives in ${CITIES[at]}.` : 'What is this about?';
    await ask(`${said} I am reading this: "${passage}"`);
    console.error(`turn ${turn + 1} of ${2 * facts}`);
  }
  const answers = [];
  for (let at = 0; at < facts; at++) {
    const text = await ask(`In which city does my friend ${NAMES[at]} live?`);
    const named = CITIES.filter(city => text.includes(city));
    answers.push({
      name: NAMES[at],
      city: CITIES[at],
      text,
      right: named.length === 1 && named[0] === CITIES[at],
    });
  }
  return { summaries, answers };
}

await runMain(async () => {
  const [source] = positionals;
  const facts = Number(values.facts);
  if (source === undefined || !(facts >= 1 && facts <= NAMES.length)) {
    throw new SetupError(
      'Usage: node scripts/measure/recall.mjs MODEL [--context 4096] [--facts 1..30] [--json]',
    );
  }
  const { loadModel } = await import('../../dist/index.js');
  const model = await loadModel(source, { contextLength: Number(values.context) });
  const { summaries, answers } = await measure(model, facts).finally(() => model.close());
  const right = answers.filter(answer => answer.right).length;
  if (values.json) return console.log(JSON.stringify({ source, summaries, right, answers }));
  for (const { name, city, text, right } of answers) {
    console.log(
      `${right ? 'right' : 'wrong'}  ${name}, ${city}: ${text.replaceAll(/\s+/g, ' ').slice(0, 120)}`,
    );
  }
  console.log(`${right} of ${facts} right; older turns were summarized ${summaries} times`);
});
