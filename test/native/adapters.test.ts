import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadAddon } from '../../src/native/load-addon.ts';
import type { AdapterSpec, LoadSpec } from '../../src/native/load-types.ts';
import { request } from './tiny/native-request.ts';
import { promptOf, run } from './tiny/run-job.ts';
import { tinyModel } from './tiny/tiny-model.ts';

const ADAPTER_ON = ['model.layers.0.self_attn.q_proj', 'model.layers.1.mlp.down_proj'];

async function logprobs(spec: LoadSpec): Promise<number[]> {
  const model = await loadAddon().load(spec, () => {});
  try {
    const { tokens } = await run(model, request(promptOf(9), { maxTokens: 2, logprobs: 20 }));
    return tokens.flatMap(token => [...(token.topIds ?? []), ...(token.topLogprobs ?? [])]);
  } finally {
    await model.close();
  }
}

function expectNear(got: readonly number[], expected: readonly number[]): void {
  expect(got).toHaveLength(expected.length);
  for (const [i, value] of got.entries()) expect(value).toBeCloseTo(expected[i] as number, 4);
}

/** The same adapter with both matrices of each module turned round. */
function turned(adapter: AdapterSpec): AdapterSpec {
  const path = adapter.weights.files[0] as string;
  const bytes = readFileSync(path);
  const tensors = adapter.weights.tensors.map(tensor => {
    const [rows = 0, cols = 0] = tensor.shape;
    const at = (row: number, col: number) => bytes.readFloatLE(tensor.offset + 4 * (row * cols + col));
    const values = Array.from({ length: rows * cols }, (_, i) => at(i % rows, Math.floor(i / rows)));
    return { ...tensor, shape: [cols, rows], values };
  });
  for (const { offset, values } of tensors) {
    for (const [i, value] of values.entries()) bytes.writeFloatLE(value, offset + 4 * i);
  }
  writeFileSync(`${path}.turned`, bytes);
  const entries = tensors.map(({ values: _values, ...tensor }) => tensor);
  return { ...adapter, transposed: true, weights: { files: [`${path}.turned`], tensors: entries } };
}

test.each([
  ['dense weights', {}],
  [
    '4-bit weights',
    {
      storage: () => ({ form: 'affine', bits: 4, group: 32 }) as const,
      config: { quantization: { bits: 4, group_size: 32 } },
    },
  ],
])('adapters over %s add up, in either layout', async (_name, options) => {
  const { spec } = tinyModel({ ...options, adapterOn: ADAPTER_ON });
  const [adapter] = spec.adapters as [AdapterSpec];
  const one = await logprobs(spec);
  const half = { ...adapter, scale: adapter.scale / 2 };
  expectNear(await logprobs({ ...spec, adapters: [half, turned(half)] }), one);
  const none = await logprobs({ ...spec, adapters: [] });
  expect(Math.abs((none.at(-1) as number) - (one.at(-1) as number))).toBeGreaterThan(1e-3);
});
