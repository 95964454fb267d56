// Tokens a second with looked-up tokens over without, and whether the replies are the same: reading a file back, quoting
// a JSON result, editing a text, and free chat. The two take turns; figures are medians. Exit 1 where a reply differs.
// Usage, after `npm run bootstrap`: node scripts/measure/lookup.mjs [MODEL] [--runs 5] [--tokens 200] [--load JSON]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';

reportUncaught();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '200' },
    load: { type: 'string', default: '{}' },
  },
});
const [runs, maxTokens] = [Number(values.runs), Number(values.tokens)];
if (!(runs >= 1) || !(maxTokens >= 2)) {
  console.error('Usage: node scripts/measure/lookup.mjs [MODEL] [--runs 5] [--tokens 200] [--load JSON]');
  process.exit(2);
}
const { loadEngine, loadTokenizer } = await import(new URL('../../dist/index.js', import.meta.url));
const { demoWeightsPath } = await import(new URL('../../dist/model/demo-model.js', import.meta.url));

const text = readFileSync(new URL('./opticks.txt', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
const files = [0, 1, 2].map(i => text.slice(4000 * i, 4000 * i + 900));
const results = [1, 2, 3].map(i =>
  JSON.stringify(
    ['Oslo', 'Lima', 'Kyoto', 'Accra', 'Turin', 'Quito'].map((city, k) => ({
      id: 100 * i + k,
      city,
      temperature: 7 * i + k,
      wind: `${3 * k + i} km/h`,
      station: `WX-${i}${k}`,
    })),
    undefined,
    1,
  ),
);
// The reply has begun: a small model would not always do as it is asked.
const chat = (question, begun = '') =>
  `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n${begun}`;
const TASKS = {
  'a file read back': files.map(file =>
    chat(`Here is the file notes.txt:\n\n${file}\n\nRepeat it word for word.`, file.slice(0, 40)),
  ),
  'a JSON result quoted': results.map(json =>
    chat(`The tool returned this JSON:\n\n${json}\n\nQuote it.`, json.slice(0, 24)),
  ),
  'a text edited': files.map(file => {
    const edited = file.replaceAll('Light', 'Radiance');
    return chat(`Replace "Light" by "Radiance" in this text:\n\n${file}`, edited.slice(0, 150));
  }),
  'free chat': [
    'Tell me about the history of Paris.',
    'How do I learn to play the guitar?',
    'Explain why the sky is blue to a child.',
    'Give me some advice for a job interview.',
  ].map(question => chat(question)),
};

const source = positionals[0] ?? demoWeightsPath(process.env);
const tokenizer = loadTokenizer(source);
const engine = await loadEngine(source, { contextLength: 2048, ...JSON.parse(values.load) });

async function reply(prompt, lookup, tokens = maxTokens) {
  const promptIds = tokenizer.encode(prompt, { special: true });
  const chosen = prompt.endsWith('assistant\n') ? { temperature: 0.7, seed: 1 } : {};
  const stream = engine.generate({ promptIds, maxTokens: tokens, lookup, ...chosen });
  let said = '';
  for (;;) {
    const step = await stream.next();
    if (step.done) return { said, stats: step.value };
    said += step.value.text;
  }
}

const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];
let different = 0;
console.log(
  'task, tokens a second without / with, ratio, tokens a pass, passes for tokens, accepted of proposed',
);
for (const [task, prompts] of Object.entries(TASKS)) {
  const speeds = { false: [], true: [] };
  const total = { tokens: 0, passes: 0, proposed: 0, accepted: 0 };
  for (let run = 0; run < runs; run += 1) {
    for (const prompt of prompts) {
      const said = [];
      // Both have the prompt cached.
      await reply(prompt, false, 1);
      for (const lookup of run % 2 === 0 ? [false, true] : [true, false]) {
        const { said: one, stats } = await reply(prompt, lookup);
        said.push(one);
        speeds[lookup].push(((stats.generatedTokens - 1) / stats.timings.decodeMs) * 1000);
        if (!lookup) continue;
        total.tokens += stats.generatedTokens - 1;
        for (const key of ['passes', 'proposed', 'accepted']) total[key] += stats.decoding[key];
      }
      if (said[0] !== said[1]) different += 1;
    }
  }
  const ratios = speeds.true.map((speed, index) => speed / speeds.false[index]);
  console.log(
    `${task.padEnd(22)} ${median(speeds.false).toFixed(1)} / ${median(speeds.true).toFixed(1)}  ${median(ratios).toFixed(2)}  ` +
      `${(total.tokens / total.passes).toFixed(2)}  ${total.passes} for ${total.tokens}  ${total.accepted} of ${total.proposed}`,
  );
}
await engine.close();
console.log(different === 0 ? 'every reply is the same' : `${different} replies differ`);
process.exitCode = different === 0 ? 0 : 1;
