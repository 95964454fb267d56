import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectGoldens, variantsOf, withModel } from './family-cases.ts';

test('the layers of an older config.json, which has full_attn_idxs alone, are the same', async () => {
  const variant = variantsOf('lfm2').find(({ name }) => name === 'bias');
  if (!variant) throw new Error('no such variant');
  const source = new URL('../../fixtures/families/lfm2/bias/config.json', import.meta.url);
  const { layer_types: types, ...config } = JSON.parse(readFileSync(source, 'utf8'));
  expect(types).toEqual(['conv', 'conv', 'full_attention']);
  expect(config.full_attn_idxs).toEqual([2]);
  await withModel('lfm2', { ...variant, weights: variant.name, config }, folder =>
    expectGoldens(folder, variant),
  );
});
