import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { inspectModel } from '../../src/model/inspect.ts';
import { folderWeights } from '../../src/model/weights-manifest.ts';
import { safetensorsOf } from '../model/model-files.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { randomNumbers } from '../native/tiny/tiny-model.ts';
import { topLogprobs } from './top-logprobs.ts';

const [HIDDEN, INNER, EXPERTS] = [64, 128, 3];
const config = {
  model_type: 'gpt_oss',
  vocab_size: 96,
  hidden_size: HIDDEN,
  intermediate_size: INNER,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 32,
  num_local_experts: EXPERTS,
  num_experts_per_tok: 2,
  sliding_window: 16,
  layer_types: ['full_attention'],
  max_position_embeddings: 256,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
};

const layer = 'model.layers.0';
const experts = `${layer}.mlp.experts`;
type Tensor = readonly [shape: readonly number[], values: readonly number[]];
type Tensors = Readonly<Record<string, Tensor>>;

const random = randomNumbers(11);
const tensor = (...shape: number[]): Tensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return [shape, Array.from({ length: count }, () => 0.5 * random())];
};
const norm: Tensor = [[HIDDEN], Array(HIDDEN).fill(1)];
const shared: Tensors = {
  'model.embed_tokens.weight': tensor(96, HIDDEN),
  'lm_head.weight': tensor(96, HIDDEN),
  'model.norm.weight': norm,
  [`${layer}.input_layernorm.weight`]: norm,
  [`${layer}.post_attention_layernorm.weight`]: norm,
  [`${layer}.self_attn.sinks`]: tensor(2),
  [`${layer}.mlp.router.weight`]: tensor(EXPERTS, HIDDEN),
  [`${layer}.mlp.router.bias`]: tensor(EXPERTS),
};
const projections = Object.fromEntries(
  Object.entries({ q: 64, k: 32, v: 32, o: 64 }).flatMap(([name, out]) => [
    [`${layer}.self_attn.${name}_proj.weight`, tensor(out, 64)],
    [`${layer}.self_attn.${name}_proj.bias`, tensor(out)],
  ]),
);
const gate = tensor(EXPERTS, INNER, HIDDEN);
const up = tensor(EXPERTS, INNER, HIDDEN);
const down = tensor(EXPERTS, HIDDEN, INNER);
const gateBias = tensor(EXPERTS, INNER);
const upBias = tensor(EXPERTS, INNER);
const downBias = tensor(EXPERTS, HIDDEN);

/** Values [a, b, c] of `parts`, their rows in turn. */
function interleaved(rows: number, columns: number, parts: readonly Tensor[]): number[] {
  const values: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (const [, part] of parts) values.push(...part.slice(row * columns, (row + 1) * columns));
  }
  return values;
}

/** [a, b, c] -> [a, c, b] */
function turned([a, b, c]: readonly [number, number, number], values: readonly number[]): Tensor {
  const at = (i: number, j: number, k: number) => values[(i * b + j) * c + k] as number;
  const result: number[] = [];
  for (let i = 0; i < a; i++)
    for (let k = 0; k < c; k++) for (let j = 0; j < b; j++) result.push(at(i, j, k));
  return [[a, c, b], result];
}

/** As gpt-oss stores dense experts. */
const own: Tensors = {
  [`${experts}.gate_up_proj`]: turned(
    [EXPERTS, 2 * INNER, HIDDEN],
    interleaved(EXPERTS * INNER, HIDDEN, [gate, up]),
  ),
  [`${experts}.gate_up_proj_bias`]: [
    [EXPERTS, 2 * INNER],
    interleaved(EXPERTS * INNER, 1, [gateBias, upBias]),
  ],
  [`${experts}.down_proj`]: turned([EXPERTS, HIDDEN, INNER], down[1]),
  [`${experts}.down_proj_bias`]: downBias,
};
/** As MLX's converter stores the same. */
const converted: Tensors = {
  [`${experts}.gate_proj.weight`]: gate,
  [`${experts}.gate_proj.bias`]: gateBias,
  [`${experts}.up_proj.weight`]: up,
  [`${experts}.up_proj.bias`]: upBias,
  [`${experts}.down_proj.weight`]: down,
  [`${experts}.down_proj.bias`]: downBias,
};

function folderOf(tensors: Tensors): string {
  const shapes = Object.fromEntries(Object.entries(tensors).map(([name, [shape]]) => [name, shape]));
  const next = new Map(Object.entries(tensors).map(([name, [, values]]) => [name, values.values()]));
  const weightOf = (name: string) => next.get(name)?.next().value ?? Number.NaN;
  return tempFolder({ 'config.json': config, 'model.safetensors': safetensorsOf(shapes, weightOf) });
}

test.each(['4', 'mxfp4'])("--quantize %s packs gpt-oss's dense experts, turned round", async quantize => {
  const folder = folderOf({ ...shared, ...projections, ...own });
  const saved = join(tempFolder(), 'saved');
  const live = await topLogprobs(folder, { quantize, saveQuantized: saved });
  expect(live).toHaveLength(4 * 20 * 2);
  expect(await topLogprobs(folder)).not.toEqual(live);
  expect(await topLogprobs(folderOf({ ...shared, ...projections, ...converted }), { quantize })).toEqual(
    live,
  );
  const types = new Map(folderWeights(saved).tensors.map(t => [t.name, t.dtype]));
  expect(types.get(`${experts}.gate_up_proj.weight`)).toBe('U32');
  expect(types.get(`${experts}.down_proj.weight`)).toBe('U32');
  expect(types.get(`${layer}.mlp.router.weight`)).toBe('F32');
  expect(await topLogprobs(saved)).toEqual(live);
});

test('the memory that is foretold is that which loading takes', async () => {
  const folder = folderOf({ ...shared, ...projections, ...own });
  const said = inspectModel(folder, { contextLength: 0, quantize: '4', cwd: '/', env: {} }).inspection;
  await using engine = await loadEngine(folder, { quantize: '4' });
  expect(said.memory.weightBytes).toBe(engine.info.weightBytes);
  expect(said.parameters).toBe(engine.info.parameters);
});
