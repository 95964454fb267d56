import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../../src/native/load-addon.ts';
import type { LoadSpec, TensorEntry } from '../../../src/native/load-types.ts';
import { readNamed } from '../../model/read-named.ts';

const specOf = (name: string, room = 'encoders'): LoadSpec =>
  readNamed(`test/fixtures/${room}/${name}`, {
    cwd: process.cwd(),
    env: process.env,
    contextLength: 0,
    exact: true,
  }).spec;

const withTensors = (spec: LoadSpec, tensors: readonly TensorEntry[]): LoadSpec => ({
  ...spec,
  weights: { ...spec.weights, tensors: [...tensors] },
});

const expectRefused = (spec: LoadSpec, code: string, message: string) =>
  expect(loadAddon().load(spec, () => {})).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
const expectBroken = (spec: LoadSpec, message: string) => expectRefused(spec, 'MODEL_BROKEN', message);

describe('a tensor too many or one too few is refused by name', () => {
  test.each(['qwen3', 'qwen3-head', 'qwen3-mlx', 'gemma3', 'nomic', 'bert-dense'])('%s', async name => {
    const spec = specOf(name);
    const { tensors } = spec.weights;
    for (const place of ['model.layers.0.planted.weight', 'dense.0.planted.weight']) {
      const planted = { ...(tensors[0] as TensorEntry), name: place };
      await expectBroken(withTensors(spec, [...tensors, planted]), place);
    }
    for (const { name } of tensors.filter(t => /layers?\.0\.|norm\.weight$|^dense\./.test(t.name))) {
      const rest = tensors.filter(t => t.name !== name);
      // Without a matrix, another layout may be looked for, by its own names.
      await expectBroken(withTensors(spec, rest), /norm|dense/.test(name) ? name : 'the weights have no');
    }
  });
});

describe('what cannot turn texts into vectors says so', () => {
  test.each(['falcon_h1/normed', 'deepseek_v3/plain', 'gpt_oss/plain', 'gemma2/windows', 'phi3/longrope'])(
    'a decoder of another kind: %s',
    async name => {
      const spec = { ...specOf(name, 'families'), encoder: { pooling: 'mean', dense: [] } };
      await expectRefused(spec, 'MODEL_UNSUPPORTED', 'cannot turn texts into vectors here');
    },
  );

  test('a model that sees both ways generates nothing', async () => {
    const { encoder: _, ...spec } = specOf('gemma3');
    await expectRefused(spec, 'MODEL_UNSUPPORTED', 'use_bidirectional_attention');
  });

  test('a matrix of another shape, an unknown pooling or activation', async () => {
    const spec = specOf('gemma3-one-kv');
    const withEncoder = (encoder: Partial<NonNullable<LoadSpec['encoder']>>): LoadSpec => ({
      ...spec,
      encoder: { pooling: 'mean', dense: spec.encoder?.dense ?? [], ...encoder },
    });
    const dense = { out: 47, bias: false, activation: 'identity' };
    await expectBroken(withEncoder({ dense: [dense] }), 'dense.0.linear.weight');
    await expectRefused(withEncoder({ pooling: 'max' }), 'MODEL_UNSUPPORTED', 'pooling "max"');
    const relu = withEncoder({ dense: [{ ...dense, out: 48, activation: 'relu' }] });
    await expectRefused(relu, 'MODEL_UNSUPPORTED', 'supported are: identity, tanh');
  });
});
