import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectGoldens, variantsOf, withModel } from './family-cases.ts';

// As transformers writes them for ten layers and more.
test('numbers of layers with leading zeros mean the same layers', async () => {
  const variant = variantsOf('gemma4_text').find(({ name }) => name === 'keys-as-values');
  if (!variant) throw new Error('no such variant');
  const source = new URL('../../fixtures/families/gemma4_text/keys-as-values/config.json', import.meta.url);
  const config = JSON.parse(readFileSync(source, 'utf8'));
  expect(Object.keys(config.per_layer_config)).toEqual(['1', '3']);
  const padded = Object.entries(config.per_layer_config).map(([layer, own]) => [`0${layer}`, own]);
  const written = { ...config, per_layer_config: Object.fromEntries(padded) };
  await withModel('gemma4_text', { ...variant, weights: variant.name, config: written }, folder =>
    expectGoldens(folder, variant),
  );
});
