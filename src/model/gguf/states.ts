import type { JsonObject } from '../../text/files/json-file.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import { graniteKeys } from './granite.ts';
import {
  expertNames,
  filter,
  LLAMA,
  mambaNames,
  mambaShapes,
  mambaTensors,
  type NameTable,
  networkNames,
  without,
} from './names.ts';

const LFM2: NameTable = {
  ...without(LLAMA, 'output_norm', 'blk.%.ffn_gate', 'blk.%.ffn_up', 'blk.%.ffn_down'),
  token_embd_norm: 'model.embedding_norm',
  'blk.%.attn_norm': 'model.layers.%.operator_norm',
  'blk.%.ffn_norm': 'model.layers.%.ffn_norm',
  'blk.%.attn_output': 'model.layers.%.self_attn.out_proj',
  'blk.%.attn_q_norm': 'model.layers.%.self_attn.q_layernorm',
  'blk.%.attn_k_norm': 'model.layers.%.self_attn.k_layernorm',
  'blk.%.shortconv.conv': 'model.layers.%.conv.conv',
  'blk.%.shortconv.in_proj': 'model.layers.%.conv.in_proj',
  'blk.%.shortconv.out_proj': 'model.layers.%.conv.out_proj',
  ...networkNames('', 'model.layers.%.feed_forward'),
};

const GRANITE_HYBRID: NameTable = {
  ...LLAMA,
  ...mambaNames('model.layers.%.mamba'),
  'blk.%.ffn_gate_inp': 'model.layers.%.block_sparse_moe.router.layer',
  ...expertNames('model.layers.%.block_sparse_moe.switch_mlp'),
  ...networkNames('_shexp', 'model.layers.%.mlp'),
};

/** Layers without keys and values: convolutions, or states. */
export const STATES: readonly (readonly [string, Architecture])[] = [
  ['lfm2', { names: LFM2, shapes: { 'blk.%.shortconv.conv.weight': filter }, keys: lfm2 }],
  [
    'lfm2moe',
    {
      names: {
        ...LFM2,
        'blk.%.ffn_gate_inp': 'model.layers.%.feed_forward.gate',
        ...expertNames('model.layers.%.feed_forward.switch_mlp'),
      },
      tensors: { 'blk.%.exp_probs_b.bias': 'model.layers.%.feed_forward.expert_bias' },
      shapes: { 'blk.%.shortconv.conv.weight': filter },
      experts: true,
      keys: lfm2Experts,
    },
  ],
  [
    'granitehybrid',
    {
      names: GRANITE_HYBRID,
      tensors: mambaTensors('model.layers.%.mamba'),
      shapes: mambaShapes,
      permuted: true,
      experts: true,
      keys: graniteHybrid,
    },
  ],
];

/** Each layer's type: `attention` if it has keys and values, `other` if it has none. */
function layerTypes({ perLayer }: GgufFacts, attention: string, other: string): string[] {
  return perLayer('attention.head_count_kv').map(heads => (heads > 0 ? attention : other));
}

function lfm2(facts: GgufFacts): JsonObject {
  const { number, hasTensor } = facts;
  const types = layerTypes(facts, 'full_attention', 'conv');
  return {
    norm_eps: number('attention.layer_norm_rms_epsilon'),
    conv_L_cache: number('shortconv.l_cache'),
    conv_bias: hasTensor(`model.layers.${types.indexOf('conv')}.conv.conv.bias`),
    layer_types: types,
    block_auto_adjust_ff_dim: false,
  };
}

function lfm2Experts(facts: GgufFacts): JsonObject {
  const { number, layers, hasTensor } = facts;
  return {
    ...lfm2(facts),
    model_type: 'lfm2_moe',
    num_dense_layers: number('leading_dense_block_count', 0),
    num_experts: number('expert_count'),
    num_experts_per_tok: number('expert_used_count'),
    moe_intermediate_size: number('expert_feed_forward_length'),
    // llama.cpp always does, whatever the checkpoint.
    norm_topk_prob: true,
    routed_scaling_factor: number('expert_weights_scale', 1),
    use_expert_bias: hasTensor(`model.layers.${layers - 1}.feed_forward.expert_bias`),
  };
}

function graniteHybrid(facts: GgufFacts): JsonObject {
  const { number, hidden, flag, hasTensor } = facts;
  const types = layerTypes(facts, 'attention', 'mamba');
  const mamba = `model.layers.${types.indexOf('mamba')}.mamba`;
  const inner = number('ssm.inner_size');
  const experts = number('expert_count', 0);
  return {
    ...graniteKeys(facts),
    model_type: 'granitemoehybrid',
    layer_types: types,
    position_embedding_type: flag('rope.scaling.finetuned', true) ? 'rope' : 'nope',
    mamba_expand: inner / hidden,
    mamba_n_heads: number('ssm.time_step_rank'),
    mamba_d_head: inner / number('ssm.time_step_rank'),
    mamba_n_groups: number('ssm.group_count'),
    mamba_d_state: number('ssm.state_size'),
    mamba_d_conv: number('ssm.conv_kernel'),
    mamba_conv_bias: hasTensor(`${mamba}.conv1d.bias`),
    mamba_proj_bias: hasTensor(`${mamba}.in_proj.bias`),
    num_local_experts: experts,
    num_experts_per_tok: number('expert_used_count', 0),
    shared_intermediate_size: number(
      experts > 0 ? 'expert_shared_feed_forward_length' : 'feed_forward_length',
    ),
  };
}
