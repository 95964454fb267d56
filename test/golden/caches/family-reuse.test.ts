import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { randomIds } from '../../../src/bench/random-prompts.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import { readNamed } from '../../model/read-named.ts';
import { variantsOf, withModel } from '../decoders/family-cases.ts';
import { generate, loadNative } from '../native-run.ts';

const models = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));

/** Layers of each kind of memory: states, short convolutions, windows, states beside keys, shared keys, latents. */
test.each([
  ['granitemoehybrid', 'hybrid'],
  ['lfm2', 'plain'],
  ['gpt_oss', 'plain'],
  ['falcon_h1', 'multiplied'],
  ['nemotron_h', 'networks'],
  ['gemma4_text', 'sharing'],
  ['deepseek_v3', 'yarn'],
  ['mistral4', 'plain'],
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

test('keys with the angles of one length are not used in a prompt as long as their reply came to', async () => {
  // Longer than the 32 positions behind which the angles depend on the length.
  const first = randomIds(40, 96, 1);
  const replied = 18;
  const second = [...first.slice(0, 25), ...randomIds(first.length + replied - 1 - 25, 96, 2)];
  const variant = variantsOf('llama').find(({ name }) => name === 'dynamic');
  if (!variant) throw new Error('llama/dynamic is missing');
  await withModel('llama', variant, async source => {
    const [used, fresh] = [await loadNative(source), await loadNative(source)];
    try {
      await generate(used, first, replied);
      expect(await generate(used, second, 10)).toEqual(await generate(fresh, second, 10));
    } finally {
      await used.close();
      await fresh.close();
    }
  });
});

test('layers that share quantized keys and values read them whatever the chunks', async () => {
  const options = { cwd: process.cwd(), env: process.env, contextLength: 0, exact: true, kvBits: 8 } as const;
  const { spec } = readNamed(`${models}gemma4_text/mlx`, options);
  const [golden] =
    variantsOf('gemma4_text')
      .find(variant => variant.name === 'mlx')
      ?.cases.slice(1) ?? [];
  if (!golden) throw new Error('gemma4_text/mlx has no golden');
  const texts = [];
  for (const chunk of [0, 3, 1]) {
    const model = await loadAddon().load(spec, () => {});
    try {
      texts.push((await generate(model, golden.prompt, 32, chunk)).map(token => token.id));
    } finally {
      await model.close();
    }
  }
  expect(texts[1]).toEqual(texts[0]);
  expect(texts[2]).toEqual(texts[0]);
  // Rounded, they still say nearly the same.
  expect(texts[0]?.slice(0, 4)).toEqual(golden.ids.slice(0, 4));
});
