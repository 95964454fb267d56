import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { variantsOf } from './family-cases.ts';
import { generate, loadNative } from './native-run.ts';

const models = fileURLToPath(new URL('../fixtures/families/', import.meta.url));

/** Layers of each kind of memory: states, short convolutions, windows. */
test.each([
  ['granitemoehybrid', 'hybrid'],
  ['lfm2', 'plain'],
  ['gpt_oss', 'plain'],
])('%s %s goes on from what it remembers, and from less than that', async (family, name) => {
  const model = await loadNative(`${models}${family}/${name}`);
  try {
    for (const { prompt, ids } of variantsOf(family).find(variant => variant.name === name)?.cases ?? []) {
      // All that is remembered and more; then a part of it, which a state cannot go back to.
      for (const [given, count] of [
        [0, 20],
        [20, 20],
        [5, 10],
      ] as const) {
        const tokens = await generate(model, [...prompt, ...ids.slice(0, given)], count);
        expect(tokens.map(t => t.id)).toEqual(ids.slice(given, given + count));
      }
    }
  } finally {
    await model.close();
  }
});
