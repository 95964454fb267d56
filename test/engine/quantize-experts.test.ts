import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWeights } from '../../src/model/weights-manifest.ts';
import { safetensorsOf } from '../model/model-files.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { randomNumbers } from '../native/tiny/tiny-model.ts';
import { topLogprobs } from './top-logprobs.ts';

const HIDDEN = 64;
const EXPERTS = 4;
const config = {
  model_type: 'qwen3_moe',
  vocab_size: 96,
  hidden_size: HIDDEN,
  intermediate_size: 128,
  moe_intermediate_size: 64,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 32,
  num_experts: EXPERTS,
  num_experts_per_tok: 2,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
};

const layer = 'model.layers.0';
const ROUTER = `${layer}.mlp.gate.weight`;
const shared: Record<string, number[]> = {
  'model.embed_tokens.weight': [96, HIDDEN],
  'model.norm.weight': [HIDDEN],
  [`${layer}.input_layernorm.weight`]: [HIDDEN],
  [`${layer}.post_attention_layernorm.weight`]: [HIDDEN],
  [`${layer}.self_attn.q_proj.weight`]: [64, HIDDEN],
  [`${layer}.self_attn.k_proj.weight`]: [32, HIDDEN],
  [`${layer}.self_attn.v_proj.weight`]: [32, HIDDEN],
  [`${layer}.self_attn.o_proj.weight`]: [HIDDEN, 64],
  [`${layer}.self_attn.q_norm.weight`]: [32],
  [`${layer}.self_attn.k_norm.weight`]: [32],
  [ROUTER]: [EXPERTS, HIDDEN],
};
const oneByOne = Array.from({ length: EXPERTS }, (_, e) =>
  ['gate_proj', 'up_proj', 'down_proj'].map(name => [`${layer}.mlp.experts.${e}.${name}.weight`, [64, 64]]),
).flat();
const LAYOUTS: Record<string, Record<string, number[]>> = {
  'one by one': Object.fromEntries(oneByOne),
  fused: {
    [`${layer}.mlp.experts.gate_up_proj`]: [EXPERTS, 128, HIDDEN],
    [`${layer}.mlp.experts.down_proj`]: [EXPERTS, HIDDEN, 64],
  },
  "of MLX's converter": Object.fromEntries(
    ['gate_proj', 'up_proj', 'down_proj'].map(name => [
      `${layer}.mlp.switch_mlp.${name}.weight`,
      [EXPERTS, 64, 64],
    ]),
  ),
};

test.each(Object.keys(LAYOUTS))('--quantize 4 packs experts stored %s, and leaves the router', async name => {
  const random = randomNumbers(7);
  const shapes = { ...shared, ...LAYOUTS[name] };
  const folder = tempFolder({
    'config.json': config,
    'model.safetensors': safetensorsOf(shapes, tensor => (tensor.includes('norm') ? 1 : 0.25 * random())),
  });
  const saved = join(tempFolder(), 'saved');
  const live = await topLogprobs(folder, { quantize: '4', saveQuantized: saved });
  expect(live).toHaveLength(4 * 20 * 2);
  expect(await topLogprobs(folder)).not.toEqual(live);
  const types = new Map(folderWeights(saved).tensors.map(t => [t.name, t.dtype]));
  expect(types.get(ROUTER)).toBe('F32');
  expect(types.has(ROUTER.replace('weight', 'scales'))).toBe(false);
  const experts = [...types].filter(
    ([tensor]) => tensor.includes('experts') || tensor.includes('switch_mlp'),
  );
  const packed = experts.filter(([, type]) => type === 'U32');
  // Each of them with its scales and biases.
  expect(packed).toHaveLength(Object.keys(LAYOUTS[name] ?? {}).length);
  expect(experts).toHaveLength(3 * packed.length);
  expect(await topLogprobs(saved)).toEqual(live);
});
