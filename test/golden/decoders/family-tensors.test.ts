import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../../src/native/load-addon.ts';
import type { LoadSpec, TensorEntry } from '../../../src/native/load-types.ts';
import { readNamed } from '../../model/read-named.ts';
import { familyNames, variantsOf, withModel } from './family-cases.ts';

const specOf = (source: string): LoadSpec =>
  readNamed(source, { cwd: process.cwd(), env: process.env, contextLength: 0, exact: true }).spec;

const withTensors = (spec: LoadSpec, tensors: readonly TensorEntry[]): LoadSpec => ({
  ...spec,
  weights: { ...spec.weights, tensors: [...tensors] },
});

const expectBroken = (spec: LoadSpec, message: string) =>
  expect(loadAddon().load(spec, () => {})).rejects.toMatchObject({
    code: 'MODEL_BROKEN',
    message: expect.stringContaining(message),
  });

describe('a tensor too many or one too few is refused', () => {
  test.each(familyNames())('%s', async family => {
    const [variant] = variantsOf(family);
    if (!variant) throw new Error(`${family} has no tiny model`);
    await withModel(family, variant, async source => {
      const spec = specOf(source);
      const { tensors } = spec.weights;
      const planted = { ...(tensors[0] as TensorEntry), name: 'model.layers.0.planted.weight' };
      await expectBroken(withTensors(spec, [...tensors, planted]), 'planted.weight');
      for (const { name } of tensors.filter(t => /layers\.0\.|norm\.weight$/.test(t.name))) {
        const rest = tensors.filter(t => t.name !== name);
        // Without a matrix, another layout may be looked for, by its own names.
        await expectBroken(withTensors(spec, rest), name.includes('norm') ? name : 'the weights have no');
      }
    });
  });
});
