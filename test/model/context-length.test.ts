import { expect, test } from 'vitest';
import { checkContext, modelContext } from '../../src/model/context-length.ts';
import { thrown, thrownCode } from './thrown.ts';

const own = { max_position_embeddings: 1000 };

test.each<[object, number | undefined]>([
  [{}, undefined],
  [own, 1000],
  [{ ...own, rope_scaling: null }, 1000],
  [{ ...own, rope_scaling: { type: 'linear', factor: 4 } }, 1000],
  [{ ...own, rope_scaling: { type: 'dynamic', factor: 2.5 } }, 2500],
  [{ ...own, rope_scaling: { rope_type: 'yarn', factor: 4 } }, 4000],
  [
    { ...own, rope_parameters: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 500 } },
    2000,
  ],
  [{ ...own, rope_scaling: { type: 'yarn', factor: 4, original_max_position_embeddings: 100 } }, 1000],
  [{ ...own, rope_scaling: { type: 'llama3', factor: 8, original_max_position_embeddings: 900 } }, 1000],
])('the context of %j is %s', (config, expected) => {
  expect(modelContext({ ...config })).toBe(expected);
});

test('a context that the model does not have is refused', () => {
  expect(checkContext(0, own)).toBe(1000);
  expect(checkContext(1000, own)).toBe(1000);
  expect(checkContext(0, {})).toBe(0);
  for (const wanted of [1001, -1, 1.5, Number.NaN]) {
    expect(thrownCode(() => checkContext(wanted, own))).toBe('USAGE');
  }
  expect(thrown(() => checkContext(1001, own))).toContain('1 to 1000 tokens');
});
