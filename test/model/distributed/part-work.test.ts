import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDivided, partOfModel } from '../../../src/model/distributed/part-of-model.ts';
import { partWork } from '../../../src/model/distributed/part-work.ts';
import { inspectModel } from '../../../src/model/inspect.ts';
import { MODELS } from '../model-files.ts';

const { read, loading } = inspectModel(join(MODELS, 'tiny-bf16'), {
  contextLength: 64,
  cwd: MODELS,
  env: {},
  exact: true,
});
const work = (machines: number, first: boolean, layout = loading.layout) =>
  partWork(read, { loading: { ...loading, layout }, contextLength: 64, machines, first });

test.each([
  ['model.layers.0.self_attn.q_proj.weight', true],
  ['model.layers.0.self_attn.out_proj.weight', true],
  ['model.layers.0.self_attn.sinks', true],
  ['model.layers.0.self_attn.q_norm.weight', false],
  ['model.layers.0.self_attn.q_proj.bias', true],
  ['model.layers.0.self_attn.o_proj.bias', false],
  ['model.layers.0.mlp.experts.down_proj_bias', true],
  ['model.layers.0.mlp.experts.3.down_proj.weight', true],
  ['model.layers.0.block_sparse_moe.input_linear.weight', true],
  ['model.layers.0.block_sparse_moe.router.layer.weight', false],
  ['model.layers.0.feed_forward.expert_bias', false],
  ['model.layers.0.conv.in_proj.weight', false],
  ['model.layers.0.self_attn.q_proj.lora_a', false],
  ['model.layers.0.self_attn.q_proj.lora_b', true],
  ['model.layers.0.mlp.down_proj.lora_a', true],
  ['model.layers.0.mlp.down_proj.lora_b', false],
  ['model.embed_tokens.weight', false],
])('%s is divided: %s', (name, divided) => {
  expect(isDivided(name)).toBe(divided);
});

describe('the part of a machine', () => {
  test('has its heads, of the whole size, and its channels', () => {
    const { config } = partOfModel(read.spec, 2);
    const { num_attention_heads: heads, hidden_size: hidden, intermediate_size: width } = read.spec.config;
    expect(config).toMatchObject({
      num_attention_heads: Number(heads) / 2,
      intermediate_size: Number(width) / 2,
      hidden_size: hidden,
      head_dim: Number(hidden) / Number(heads),
    });
  });

  test('an adapter takes less there', () => {
    const tensor = { file: 0, dtype: 'F32', offset: 0, bytes: 4e6 } as const;
    const named = (name: string, shape: readonly number[]) => ({ ...tensor, name, shape });
    const tensors = [
      named('model.layers.0.mlp.down_proj.lora_a', [1e6, 1]),
      named('m.router.lora_b', [1, 1e6]),
    ];
    const adapters = [{ weights: { files: ['a'], tensors }, scale: 1, transposed: false }];
    const [own] = partOfModel({ ...read.spec, adapters }, 4).adapters;
    expect(own?.weights.tensors.map(({ bytes }) => bytes)).toEqual([1e6, 4e6]);
  });

  test('takes less than the model, but for the group and, on the first machine, the program', () => {
    const [whole, other, first] = [work(1, true), work(2, false), work(2, true)];
    expect(other.weightBytes).toBeLessThan(whole.weightBytes);
    expect(other.workingBytes - whole.workingBytes).toBeLessThan(60e6);
    expect(other.workingBytes).toBeGreaterThan(34e6);
    expect(first.workingBytes - other.workingBytes).toBeGreaterThanOrEqual(40e6);
  });

  test('on a GPU nothing of it was measured', () => {
    expect(work(2, true, 'stored').workingBytes).toBe(work(1, true, 'stored').workingBytes);
  });
});
