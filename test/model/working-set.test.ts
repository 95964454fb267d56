import { describe, expect, test } from 'vitest';
import { USUAL_WORKING_SET, type Work, workingSet } from '../../src/model/memory/working-set.ts';

const LLAMA = {
  model_type: 'llama',
  hidden_size: 2048,
  num_hidden_layers: 16,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  intermediate_size: 8192,
  vocab_size: 49152,
};
const HYBRID = {
  hidden_size: 1024,
  num_hidden_layers: 24,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 256,
  intermediate_size: 3584,
  linear_num_key_heads: 16,
  linear_num_value_heads: 16,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_conv_kernel_dim: 4,
};

/** A model of so many parameters, in one tensor. */
function work(config: object, parameters: number, more: Partial<Work> = {}): Work {
  const shape = [1, parameters];
  return {
    config: { ...config },
    weights: { files: ['a'], tensors: [{ name: 'w', file: 0, dtype: 'F16', shape, offset: 0, bytes: 0 }] },
    weightBytes: parameters / 2,
    contextLength: 4096,
    adapters: [],
    tokenizer: false,
    loading: { layout: 'packed', quantize: undefined, encoder: false },
    ...more,
  } as Work;
}

describe('workingSet', () => {
  test('is within 3 % of what processes took, weights and caches included', () => {
    // [what, foretold, peak, weights, keys, values and states], in MB: docs/evidence/measurements.md.
    const one = work(LLAMA, 1_073_809_408, { weightBytes: 604e6, contextLength: 520, tokenizer: true });
    const two = work(HYBRID, 752_393_024, { weightBytes: 425e6, contextLength: 520 });
    for (const [foretold, peak, rest] of [
      [workingSet(one), 750e6, 604e6 + 17e6],
      [workingSet(two), 633e6, 425e6 + 27e6],
    ] as const)
      expect(Math.abs(rest + foretold - peak)).toBeLessThan(0.03 * peak);
  });

  test('grows with the rows of a chunk, which larger models have fewer of', () => {
    const short = workingSet(work(LLAMA, 1e9, { contextLength: 100 }));
    const long = workingSet(work(LLAMA, 1e9));
    expect(long).toBeGreaterThan(short);
    expect(workingSet(work(LLAMA, 1e9, { contextLength: 256 }))).toBe(long);
    expect(workingSet(work(LLAMA, 2e9, { weightBytes: 5e8 }))).toBeLessThan(long);
  });

  test('recurrent states are there twice where a prompt has several chunks', () => {
    const [one, several] = [340, 341].map(contextLength =>
      workingSet(work(HYBRID, 752_393_024, { contextLength })),
    ) as [number, number];
    expect(several - one).toBeGreaterThan(15e6);
  });

  test('a tokenizer and adapters count', () => {
    const plain = workingSet(work(LLAMA, 1e9));
    expect(workingSet(work(LLAMA, 1e9, { tokenizer: true })) - plain).toBe(200 * 49152);
    const weights = {
      files: ['b'],
      tensors: [{ name: 'a', file: 0, dtype: 'F32', shape: [1], offset: 0, bytes: 1e6 }],
    };
    const adapters = [{ weights, scale: 1, transposed: false }] as Work['adapters'];
    expect(workingSet(work(LLAMA, 1e9, { adapters })) - plain).toBeCloseTo(2.4e6, -1);
  });

  test('a GPU has the usual one, and encoders of short texts', () => {
    const of = (loading: object, contextLength = 4096) =>
      workingSet(work(LLAMA, 1e9, { loading: loading as Work['loading'], contextLength }));
    expect(of({ layout: 'stored', encoder: false })).toBe(USUAL_WORKING_SET);
    expect(of({ layout: 'packed', encoder: true }, 512)).toBe(USUAL_WORKING_SET);
    // A long text is encoded as a whole.
    expect(of({ layout: 'packed', encoder: true }, 8192)).toBeGreaterThan(2 * USUAL_WORKING_SET);
  });

  test.each([{}, { hidden_size: -1, num_attention_heads: 0 }, { hidden_size: 'many', vocab_size: null }])(
    'a malformed configuration has a number too: %j',
    config => {
      expect(workingSet(work(config, 0))).toBeGreaterThan(6e7);
      expect(Number.isSafeInteger(workingSet(work(config, 0)))).toBe(true);
    },
  );
});
