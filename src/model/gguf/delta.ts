import type { JsonObject } from '../../text/files/json-file.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import { expertNames, HEAD_NORMS, LLAMA, type NameTable, NEXTN, networkNames, without } from './names.ts';

type Shape = readonly number[];

const ATTENTION: NameTable = {
  ...without(LLAMA, 'blk.%.ffn_norm', 'blk.%.ffn_gate', 'blk.%.ffn_up', 'blk.%.ffn_down'),
  ...HEAD_NORMS,
  ...NEXTN,
  'blk.%.post_attention_norm': 'model.layers.%.post_attention_layernorm',
};

const LINEAR: NameTable = {
  'blk.%.attn_qkv': 'model.layers.%.linear_attn.in_proj_qkv',
  'blk.%.attn_gate': 'model.layers.%.linear_attn.in_proj_z',
  'blk.%.ssm_ba': 'model.layers.%.linear_attn.in_proj_ba',
  'blk.%.ssm_beta': 'model.layers.%.linear_attn.in_proj_b',
  'blk.%.ssm_alpha': 'model.layers.%.linear_attn.in_proj_a',
  'blk.%.ssm_conv1d': 'model.layers.%.linear_attn.conv1d',
  'blk.%.ssm_norm': 'model.layers.%.linear_attn.norm',
  'blk.%.ssm_out': 'model.layers.%.linear_attn.out_proj',
};

const EXPERTS: NameTable = {
  'blk.%.ffn_gate_inp': 'model.layers.%.mlp.gate',
  'blk.%.ffn_gate_inp_shexp': 'model.layers.%.mlp.shared_expert_gate',
  ...expertNames('model.layers.%.mlp.switch_mlp'),
  ...networkNames('_shexp', 'model.layers.%.mlp.shared_expert'),
};

const COMMON = {
  tensors: {
    'blk.%.ssm_a': 'model.layers.%.linear_attn.A',
    'blk.%.ssm_dt.bias': 'model.layers.%.linear_attn.dt_bias',
  },
  shapes: {
    // As in MLX's conversions, whose norms hold 1 + w too; the engine knows them by this shape.
    'blk.%.ssm_conv1d.weight': (shape: Shape): Shape => (shape.length === 2 ? [...shape, 1] : shape),
    'blk.%.ffn_gate_inp_shexp.weight': (shape: Shape): Shape => (shape.length === 1 ? [1, ...shape] : shape),
  },
  rotatesPart: true,
};

/** Gated DeltaNet in most layers. */
export const DELTA: readonly (readonly [string, Architecture])[] = [
  [
    'qwen3next',
    {
      ...COMMON,
      names: { ...ATTENTION, ...LINEAR, ...EXPERTS },
      experts: true,
      keys: facts => ({ ...delta(facts), ...experts(facts), model_type: 'qwen3_next' }),
    },
  ],
  [
    'qwen35',
    {
      ...COMMON,
      names: { ...ATTENTION, ...LINEAR, ...networkNames('', 'model.layers.%.mlp') },
      keys: facts => ({ ...delta(facts), ...TILED, model_type: 'qwen3_5_text' }),
    },
  ],
  [
    'qwen35moe',
    {
      ...COMMON,
      names: { ...ATTENTION, ...LINEAR, ...EXPERTS },
      experts: true,
      keys: facts => ({ ...delta(facts), ...experts(facts), ...TILED, model_type: 'qwen3_5_moe_text' }),
    },
  ],
];

/** A key of our own: value heads are in another order than in the checkpoint, so that key heads repeat as a whole. */
const TILED: JsonObject = { linear_value_heads_tiled: true };

function delta({ number, layers }: GgufFacts): JsonObject {
  const every = number('full_attention_interval', 4);
  const heads = number('ssm.time_step_rank');
  return {
    linear_num_key_heads: number('ssm.group_count'),
    linear_num_value_heads: heads,
    linear_key_head_dim: number('ssm.state_size'),
    linear_value_head_dim: number('ssm.inner_size') / heads,
    linear_conv_kernel_dim: number('ssm.conv_kernel'),
    layer_types: Array.from({ length: layers }, (_, i) =>
      (i + 1) % every === 0 ? 'full_attention' : 'linear_attention',
    ),
  };
}

function experts({ number }: GgufFacts): JsonObject {
  return {
    num_experts: number('expert_count'),
    num_experts_per_tok: number('expert_used_count'),
    moe_intermediate_size: number('expert_feed_forward_length'),
    shared_expert_intermediate_size: number('expert_shared_feed_forward_length'),
    norm_topk_prob: true,
  };
}
