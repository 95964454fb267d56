import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readModel } from '../../src/model/load-model.ts';
import type { LoadSpec, TensorEntry } from '../../src/native/addon-types.ts';
import { loadAddon } from '../../src/native/load-addon.ts';

const families = fileURLToPath(new URL('../fixtures/families/', import.meta.url));

function specOf(model: string): LoadSpec {
  return readModel(families + model, { cwd: process.cwd(), env: process.env, contextLength: 0 }).spec;
}

function withConfig(model: string, config: Record<string, unknown>): LoadSpec {
  const spec = specOf(model);
  return { ...spec, config: { ...spec.config, ...config } };
}

function withTensors(model: string, change: (tensors: TensorEntry[]) => TensorEntry[]): LoadSpec {
  const spec = specOf(model);
  return { ...spec, weights: { ...spec.weights, tensors: change([...spec.weights.tensors]) } };
}

const without = (part: string) => (tensors: TensorEntry[]) => tensors.filter(t => !t.name.includes(part));

test.each<[string, LoadSpec, string, string]>([
  [
    'a layer type that there is not',
    withConfig('granitemoehybrid/hybrid', { layer_types: ['mamba', 'attention', 'gated'] }),
    'MODEL_UNSUPPORTED',
    'layer_types has "gated", which is not supported; supported are: attention, full_attention, mamba, linear_attention',
  ],
  [
    'Mamba heads that do not make the inner width',
    withConfig('granitemoehybrid/hybrid', { mamba_n_heads: 7 }),
    'MODEL_BROKEN',
    'mamba_n_heads (7) times mamba_d_head (8) must be mamba_expand times hidden_size (64)',
  ],
  [
    'Mamba groups that do not divide the heads',
    withConfig('granitemoehybrid/hybrid', { mamba_n_groups: 3 }),
    'MODEL_BROKEN',
    'mamba_n_heads (8) must be a multiple of mamba_n_groups (3)',
  ],
  [
    'half a range of time steps',
    withConfig('granitemoehybrid/hybrid', { time_step_limit: [0] }),
    'MODEL_BROKEN',
    'time_step_limit must hold two numbers',
  ],
  [
    'another state size than that of the weights',
    withConfig('granitemoehybrid/hybrid', { mamba_d_state: 8 }),
    'MODEL_BROKEN',
    'tensor model.layers.0.mamba.in_proj.weight',
  ],
  [
    'more experts for a token than there are',
    withConfig('qwen3_moe/plain', { num_experts_per_tok: 9 }),
    'MODEL_BROKEN',
    'num_experts_per_tok (9) is more than the 6 experts',
  ],
  [
    'a layer without experts',
    withTensors('qwen3_moe/plain', without('layers.1.mlp.experts')),
    'MODEL_BROKEN',
    'the weights have no experts below model.layers.1.mlp; looked for switch_mlp.gate_proj.weight',
  ],
  [
    'a missing expert',
    withTensors('qwen3_moe/plain', without('layers.1.mlp.experts.3.up_proj')),
    'MODEL_BROKEN',
    'the weights have no tensor model.layers.1.mlp.experts.3.up_proj.weight',
  ],
  [
    'fewer experts than the weights have',
    withConfig('granitemoe/plain', { num_local_experts: 4 }),
    'MODEL_BROKEN',
    'tensor model.layers.0.block_sparse_moe.',
  ],
  [
    'experts without scales',
    withTensors('gpt_oss/mxfp4', without('layers.0.mlp.experts.down_proj_scales')),
    'MODEL_BROKEN',
    'the weights have no tensor model.layers.0.mlp.experts.down_proj_scales',
  ],
  [
    'a missing sink',
    withTensors('gpt_oss/plain', without('layers.0.self_attn.sinks')),
    'MODEL_BROKEN',
    'the weights have no tensor model.layers.0.self_attn.sinks',
  ],
  [
    'a convolution of another width',
    withConfig('lfm2/plain', { conv_L_cache: 5 }),
    'MODEL_BROKEN',
    'lfm2/plain/model.safetensors) has shape [32, 1, 3]',
  ],
  [
    'a layer type that lfm2 has not',
    withConfig('lfm2/plain', { layer_types: ['conv', 'mamba', 'conv'] }),
    'MODEL_UNSUPPORTED',
    'layer_types has "mamba", which is not supported; supported are: full_attention, conv',
  ],
])('%s is refused', async (_name, spec, code, message) => {
  const load = loadAddon().load(spec, () => {});
  await expect(load).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});
