import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { loadTokenizer } from '../../src/index.ts';
import { demoWeightsPath } from '../../src/model/demo-model.ts';
import { familyNames, variantsOf, withModel } from '../golden/decoders/family-cases.ts';
import { generateAll } from '../golden/engine-run.ts';
import { sameWithLookupFrom } from '../golden/same-text/lookup-runs.ts';

const TEXT = readFileSync(new URL('../../scripts/measure/opticks.txt', import.meta.url), 'utf8');

describe('replies of every tiny model are the same with lookup', () => {
  test.each(familyNames())('%s', async family => {
    for (const variant of variantsOf(family)) {
      await withModel(family, variant, async source => {
        for (const exact of [false, true]) await sameWithLookupFrom(source, exact);
      });
    }
  });
});

/** Passages to repeat, and to go on with: much, and hardly anything to look up. */
function promptOf(index: number): string {
  const passage = TEXT.slice(40 * index, 40 * index + 300 + (index % 7) * 60);
  return index % 2 === 0 ? `${passage}\n\nOnce more, word for word:\n\n${passage.slice(0, 60)}` : passage;
}

describe('greedy replies of the demo in the fast mode, with the governor and wherever something is found', () => {
  test.each(Array.from({ length: 10 }, (_, part) => part))('50 replies, part %d', async part => {
    const source = demoWeightsPath(process.env);
    const tokenizer = loadTokenizer(source);
    await using engine = await loadEngine(source, { contextLength: 1024 });
    let accepted = 0;
    for (let index = 50 * part; index < 50 * part + 50; index += 1) {
      const promptIds = tokenizer.encode(promptOf(index), { special: true });
      const request = { promptIds, maxTokens: 48 };
      // Read anew: what is cached was read by other chunks.
      const forget = () => generateAll(engine, { promptIds: [1, 2, 3], maxTokens: 1 });
      await forget();
      const plain = await generateAll(engine, { ...request, lookup: false });
      await forget();
      const looked = await generateAll(engine, request);
      expect(looked.ids, `reply ${index}`).toEqual(plain.ids);
      expect(looked.logprobs, `reply ${index}`).toEqual(plain.logprobs);
      accepted += looked.decoding?.accepted ?? 0;
    }
    expect(accepted).toBeGreaterThan(0);
  });
});
