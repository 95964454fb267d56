import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadAddon } from '../../src/native/load-addon.ts';
import type { LoadSpec, TensorEntry } from '../../src/native/load-types.ts';
import { readNamed } from '../model/read-named.ts';

const families = fileURLToPath(new URL('../fixtures/families/', import.meta.url));

function specOf(model: string): LoadSpec {
  return readNamed(families + model, { cwd: process.cwd(), env: process.env, contextLength: 0 }).spec;
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
  ['no layers', 'nemotron_h/networks', { hybrid_override_pattern: '' }, 'must name 1 to 4096 layers, got 0'],
  [
    'too many layers that share keys and values',
    'gemma4_text/sharing',
    { num_kv_shared_layers: 6 },
    'num_kv_shared_layers must leave a layer',
  ],
  [
    'a layer that shares with none',
    'gemma4_text/sharing',
    { num_kv_shared_layers: 5 },
    'layer 1 (full_attention) shares keys and values, but no layer before the last 5 is of its type',
  ],
  [
    'too few multipliers',
    'falcon_h1/multiplied',
    { ssm_multipliers: [1, 1] },
    'ssm_multipliers must hold 5 numbers, got 2',
  ],
  [
    'Mamba heads that do not make the given width',
    'falcon_h1/multiplied',
    { mamba_n_heads: 5 },
    'mamba_n_heads (5) times mamba_d_head (8) must be mamba_d_ssm (48)',
  ],
  [
    'an activation of too few layers',
    'apertus/llama3',
    { xielu: { alpha_p: [1, 1, 1], alpha_n: [1], beta: [1, 1, 1], eps: [-1e-6] } },
    'xielu.alpha_n has no number for layer 1',
  ],
  [
    'a layer that is neither dense nor sparse',
    'deepseek_v3/yarn',
    { mlp_layer_types: ['dense', 'sparse', 'spars'] },
    'mlp_layer_types must name each layer dense or sparse',
  ],
  [
    'heads of too few layers',
    'laguna/by-head',
    { num_attention_heads_per_layer: [4] },
    'num_attention_heads_per_layer must have num_hidden_layers (3) entries',
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
    'groups that do not divide the experts',
    'deepseek_v3/yarn',
    { n_group: 3 },
    'n_group (3) must divide the experts (8) into groups of 2 or more',
  ],
  [
    'too few groups for the experts of a token',
    'deepseek_v3/yarn',
    { topk_group: 1 },
    'topk_group (1) of them hold num_experts_per_tok (3)',
  ],
  [
    'half a pair of rotated channels',
    'deepseek_v3/yarn',
    { qk_rope_head_dim: 7 },
    'qk_rope_head_dim must be even, got 7',
  ],
  [
    'a latent of another size than that of the weights',
    'deepseek_v3/yarn',
    { kv_lora_rank: 12 },
    'tensor model.layers.0.self_attn.kv_',
  ],
  [
    'a list of networks for too few layers',
    'glm4_moe_lite/yarn',
    { mlp_layer_types: ['dense'] },
    'mlp_layer_types must name each layer dense or sparse',
  ],
  [
    'rotation that nothing describes',
    'mistral4/plain',
    { rope_parameters: null },
    'config.json has no rope_parameters',
  ],
  ['no depth', 'minicpm3/plain', { scale_depth: 0 }, 'scale_depth must be above 0'],
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

test.each<[string, string, Record<string, unknown>, string]>([
  [
    'a layer of an unknown letter',
    'nemotron_h/networks',
    { hybrid_override_pattern: 'M-X' },
    'hybrid_override_pattern has "X", which is not supported; supported are: mamba (M), attention (*), mlp (-), moe (E)',
  ],
  ['gates in experts', 'nemotron_h/networks', { mlp_hidden_act: 'silu' }, 'mlp_hidden_act must be relu2'],
  ['groups of experts', 'nemotron_h/experts', { n_group: 2 }, 'n_group above 1 is not supported'],
  [
    'a Gemma that encodes',
    'gemma4_text/sharing',
    { use_bidirectional_attention: 'all' },
    'use_bidirectional_attention "all" is not supported',
  ],
  [
    'a norm before the gate',
    'falcon_h1/normed',
    { mamba_norm_before_gate: true },
    'mamba_norm_before_gate is not supported with mamba_rms_norm',
  ],
  ['another gate', 'laguna/by-head', { gating: 'per-token' }, 'gating "per-token" is not supported'],
])('%s is not supported', async (_name, model, config, message) => {
  await expect(load(withConfig(model, config))).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
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
