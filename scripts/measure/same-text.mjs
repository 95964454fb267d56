// Compares the greedy replies of several versions of one model to ten prompts with those of the first version.
// Fails if a reply differs.
// Usage, after `npm run build`: node scripts/measure/same-text.mjs MODEL MODEL...
import { readFileSync } from 'node:fs';
import { reportUncaught } from '../lib/setup-error.mjs';

reportUncaught();

const TOKENS = 32;
const { loadEngine, loadTokenizer } = await import(new URL('../../dist/index.js', import.meta.url));
const golden = new URL('../../test/golden/decoders/smollm2-greedy.json', import.meta.url);
const prompts = JSON.parse(readFileSync(golden, 'utf8')).map(({ text }) => text);

/** The prompts' continuations by one model: its own tokenizer, ids and texts. */
async function continuations(model) {
  const tokenizer = loadTokenizer(model);
  const engine = await loadEngine(model, { contextLength: 512 });
  const found = [];
  for (const prompt of prompts) {
    const promptIds = tokenizer.encode(prompt, { special: true });
    const ids = [];
    let text = '';
    for await (const token of engine.generate({ promptIds, maxTokens: TOKENS, ignoreEos: true })) {
      ids.push(token.id);
      text += token.text;
    }
    found.push({ promptIds, ids, text });
  }
  await engine.close();
  return found;
}

/** Describes how a continuation differs; nothing where it does not. */
function difference(one, other) {
  if (one.promptIds.join() !== other.promptIds.join()) return 'the prompt has other ids';
  const position = one.ids.findIndex((id, index) => id !== other.ids[index]);
  if (position >= 0) return `differs from token ${position + 1} of ${one.ids.length} on`;
  return one.text === other.text ? undefined : 'the same ids, another text';
}

const [first, ...others] = process.argv.slice(2);
if (others.length === 0) {
  console.error('Usage: node scripts/measure/same-text.mjs MODEL MODEL...');
  process.exit(2);
}
const expected = await continuations(first);
for (const model of others) {
  const found = await continuations(model);
  const differences = expected.map((one, index) => difference(one, found[index]));
  const same = differences.filter(text => text === undefined).length;
  console.log(`${model}: ${same} of ${prompts.length} texts of ${TOKENS} tokens as from ${first}`);
  differences.forEach((text, index) => {
    if (text !== undefined) console.log(`  ${JSON.stringify(prompts[index])}: ${text}`);
  });
  if (same < prompts.length) process.exitCode = 1;
}
