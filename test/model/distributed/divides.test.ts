import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { whyIndivisible } from '../../../src/model/distributed/divides.ts';
import { planModel } from '../../../src/model/distributed/plan-model.ts';
import { inspectModel } from '../../../src/model/inspect.ts';
import type { StoredDtype } from '../../../src/native/load-types.ts';
import { MODELS } from '../model-files.ts';

const LLAMA_70B = {
  hidden_size: 8192,
  num_attention_heads: 64,
  num_key_value_heads: 8,
  intermediate_size: 28672,
};

function model(
  config: object,
  tensors: Readonly<Record<string, readonly number[]>> = {},
  dtype: StoredDtype = 'BF16',
) {
  return {
    config: { ...config },
    weights: {
      files: [],
      tensors: Object.entries({ 'model.layers.0.self_attn.q_proj.weight': [8192, 8192], ...tensors }).map(
        ([name, shape]) => ({ name, shape, dtype, file: 0, offset: 0, bytes: 0 }),
      ),
    },
  };
}

describe('whether heads and networks divide', () => {
  test.each([
    ['by 8', model(LLAMA_70B), 64, 8, undefined],
    ['by 3', model(LLAMA_70B), 64, 3, 'num_attention_heads (64) is no multiple of 3'],
    ['by 16: too few KV heads', model(LLAMA_70B), 64, 16, 'num_key_value_heads (8) is no multiple of 16'],
    [
      'a group over two machines',
      model({ ...LLAMA_70B, intermediate_size: 8192 + 64 }),
      64,
      2,
      'intermediate_size (8256) is no multiple of 2 times a group of 64 weights',
    ],
    ['without groups', model({ ...LLAMA_70B, intermediate_size: 8256 }), undefined, 2, undefined],
    [
      'experts that stay whole',
      model({ ...LLAMA_70B, num_experts: 12, moe_intermediate_size: 768 }),
      64,
      8,
      'num_experts (12) is no multiple of 8',
    ],
    [
      'blocks of 256',
      model({ ...LLAMA_70B, intermediate_size: 8448 }, {}, 'Q4_K'),
      undefined,
      2,
      /group of 256/,
    ],
    ['blocks of 32', model({ ...LLAMA_70B, intermediate_size: 8448 }, {}, 'Q8_0'), undefined, 2, undefined],
    [
      'a recurrent layer',
      model(LLAMA_70B, { 'model.layers.1.mamba.in_proj.weight': [1, 1] }),
      64,
      2,
      /mamba/,
    ],
    [
      'a norm over all heads',
      model(LLAMA_70B, { 'model.layers.0.self_attn.q_norm.weight': [8192] }),
      64,
      2,
      /q_norm\.weight is a norm over all heads/,
    ],
    [
      'norms of each head',
      model(LLAMA_70B, { 'model.layers.0.self_attn.q_norm.weight': [128] }),
      64,
      2,
      undefined,
    ],
    ['no heads at all', model({}), 64, 2, /num_attention_heads \(0\)/],
  ])('%s', (_, given, group, machines, why) => {
    const said = whyIndivisible(given, group, machines);
    if (why instanceof RegExp) expect(said).toMatch(why);
    else expect(said).toBe(why);
  });
});

describe('a model of files', () => {
  const inspected = (name: string) =>
    inspectModel(join(MODELS, name), { contextLength: 64, cwd: MODELS, env: {} });
  const hosts = (count: number) => ({
    hosts: Array.from({ length: count }, (_, index) => ({
      name: `m${index}`,
      address: '',
      memoryBytes: 1e9,
      bytesPerSecond: 1e9,
    })),
    link: { bytesPerSecond: 1e9, latency: 0, mesh: false },
  });

  test.each(['tiny-f32', 'tiny-q4', 'tiny-mixed.gguf'])(
    '%s on one machine is what inspect says of it',
    name => {
      const model = inspected(name);
      const { bandwidth, tokensPerSecond } = model.inspection.prediction;
      const { memory } = model.inspection;
      const plan = planModel(model, hosts(1));
      expect(plan.tokensPerSecond / 1e9).toBeCloseTo(tokensPerSecond / bandwidth.bytesPerSecond, 12);
      expect(plan.shares[0]).toMatchObject({
        weightBytes: memory.weightBytes,
        totalBytes: memory.totalBytes,
      });
    },
  );

  test('an encoder is refused', () => {
    const bert = inspectModel(join(MODELS, '../encoders/bert-mean'), {
      contextLength: 0,
      cwd: MODELS,
      env: {},
    });
    expect(() => planModel(bert, hosts(2))).toThrow(/turns texts into vectors/);
  });
});
