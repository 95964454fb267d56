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

const load = (spec: LoadSpec) => loadAddon().load(spec, () => {});

test.each([
  ['granitemoehybrid/hybrid', 'gated', 'attention, full_attention, mamba, linear_attention'],
  ['lfm2/plain', 'mamba', 'full_attention, conv'],
])('%s with a layer of type "%s" is refused', async (model, type, supported) => {
  const spec = withConfig(model, { layer_types: [supported.split(', ').at(-1), type, type] });
  await expect(load(spec)).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
    message: expect.stringContaining(
      `layer_types has "${type}", which is not supported; supported are: ${supported}`,
    ),
  });
});

test.each<[string, string, Record<string, unknown>, string]>([
  [
    'Mamba heads that do not make the inner width',
    'granitemoehybrid/hybrid',
    { mamba_n_heads: 7 },
    'mamba_n_heads (7) times mamba_d_head (8) must be mamba_expand times hidden_size (64)',
  ],
  [
    'Mamba groups that do not divide the heads',
    'granitemoehybrid/hybrid',
    { mamba_n_groups: 3 },
    'mamba_n_heads (8) must be a multiple of mamba_n_groups (3)',
  ],
  [
    'half a range of time steps',
    'granitemoehybrid/hybrid',
    { time_step_limit: [0] },
    'time_step_limit must hold two numbers',
  ],
  [
    'another state size than that of the weights',
    'granitemoehybrid/hybrid',
    { mamba_d_state: 8 },
    'tensor model.layers.0.mamba.in_proj.weight',
  ],
  [
    'more experts for a token than there are',
    'qwen3_moe/plain',
    { num_experts_per_tok: 9 },
    'num_experts_per_tok (9) is more than the 6 experts',
  ],
  [
    'fewer experts than the weights have',
    'granitemoe/plain',
    { num_local_experts: 4 },
    'tensor model.layers.0.block_sparse_moe.',
  ],
  [
    'a convolution of another width',
    'lfm2/plain',
    { conv_L_cache: 5 },
    'lfm2/plain/model.safetensors) has shape [32, 1, 3]',
  ],
])('%s is refused', async (_name, model, config, message) => {
  await expect(load(withConfig(model, config))).rejects.toMatchObject({
    code: 'MODEL_BROKEN',
    message: expect.stringContaining(message),
  });
});

test.each([
  [
    'qwen3_moe/plain',
    'layers.1.mlp.experts',
    'no experts below model.layers.1.mlp; looked for switch_mlp.gate_proj.weight',
  ],
  [
    'qwen3_moe/plain',
    'layers.1.mlp.experts.3.up_proj',
    'no tensor model.layers.1.mlp.experts.3.up_proj.weight',
  ],
  [
    'gpt_oss/mxfp4',
    'layers.0.mlp.experts.down_proj_scales',
    'no tensor model.layers.0.mlp.experts.down_proj_scales',
  ],
  ['gpt_oss/plain', 'layers.0.self_attn.sinks', 'no tensor model.layers.0.self_attn.sinks'],
])('%s without %s is refused', async (model, part, message) => {
  const spec = withTensors(model, tensors => tensors.filter(({ name }) => !name.includes(part)));
  await expect(load(spec)).rejects.toMatchObject({
    code: 'MODEL_BROKEN',
    message: expect.stringContaining(`the weights have ${message}`),
  });
});
