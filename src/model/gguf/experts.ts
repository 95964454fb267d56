import type { JsonObject } from '../../text/files/json-file.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import { graniteKeys } from './granite.ts';
import { expertNames, HEAD_NORMS, LLAMA, type NameTable, NEXTN, networkNames, without } from './names.ts';

const DENSE_NETWORK = ['blk.%.ffn_gate', 'blk.%.ffn_up', 'blk.%.ffn_down'];

/** Between attention and the network, where the file calls it so. */
const POST_ATTENTION: NameTable = {
  'blk.%.post_attention_norm': 'model.layers.%.post_attention_layernorm',
};

/** Mixtures of experts in place of dense networks. */
export const EXPERTS: readonly (readonly [string, Architecture])[] = [
  [
    'qwen3moe',
    {
      names: {
        ...without(LLAMA, ...DENSE_NETWORK),
        ...HEAD_NORMS,
        'blk.%.ffn_gate_inp': 'model.layers.%.mlp.gate',
        ...expertNames('model.layers.%.mlp.switch_mlp'),
      },
      experts: true,
      keys: ({ number, flag }) => ({
        model_type: 'qwen3_moe',
        num_experts: number('expert_count'),
        num_experts_per_tok: number('expert_used_count'),
        moe_intermediate_size: number('expert_feed_forward_length'),
        norm_topk_prob: flag('expert_weights_norm', true),
      }),
    },
  ],
  [
    'gpt-oss',
    {
      names: {
        ...without(LLAMA, 'blk.%.ffn_norm', ...DENSE_NETWORK),
        ...POST_ATTENTION,
        'blk.%.ffn_gate_inp': 'model.layers.%.mlp.router',
        ...expertNames('model.layers.%.mlp.experts'),
      },
      tensors: { 'blk.%.attn_sinks.weight': 'model.layers.%.self_attn.sinks' },
      experts: true,
      yarn: { truncate: false },
      keys: ({ number }) => ({
        model_type: 'gpt_oss',
        intermediate_size: number('expert_feed_forward_length'),
        num_local_experts: number('expert_count'),
        num_experts_per_tok: number('expert_used_count'),
        sliding_window: number('attention.sliding_window'),
      }),
    },
  ],
  [
    'granitemoe',
    {
      names: {
        ...without(LLAMA, ...DENSE_NETWORK),
        'blk.%.ffn_gate_inp': 'model.layers.%.block_sparse_moe.router.layer',
        ...expertNames('model.layers.%.block_sparse_moe.switch_mlp'),
        ...networkNames('_shexp', 'model.layers.%.mlp'),
      },
      permuted: true,
      experts: true,
      keys: facts => ({ ...graniteKeys(facts), ...graniteExperts(facts) }),
    },
  ],
  [
    'glm4moe',
    {
      names: {
        ...without(LLAMA, 'blk.%.ffn_norm'),
        ...HEAD_NORMS,
        ...POST_ATTENTION,
        'blk.%.ffn_gate_inp': 'model.layers.%.mlp.gate',
        ...expertNames('model.layers.%.mlp.switch_mlp'),
        ...networkNames('_shexp', 'model.layers.%.mlp.shared_experts'),
        ...NEXTN,
      },
      tensors: { 'blk.%.exp_probs_b.bias': 'model.layers.%.mlp.gate.e_score_correction_bias' },
      rotatesPart: true,
      experts: true,
      keys: ({ number, flag, hasTensor }) => ({
        model_type: 'glm4_moe',
        first_k_dense_replace: number('leading_dense_block_count', 0),
        n_routed_experts: number('expert_count'),
        n_shared_experts: number('expert_shared_count'),
        num_experts_per_tok: number('expert_used_count'),
        moe_intermediate_size: number('expert_feed_forward_length'),
        routed_scaling_factor: number('expert_weights_scale', 1),
        norm_topk_prob: flag('expert_weights_norm', true),
        use_qk_norm: hasTensor('model.layers.0.self_attn.q_norm.weight'),
      }),
    },
  ],
];

/** With a network beside the experts it is what later Granites are, without their states. */
function graniteExperts({ number, layers, hasTensor }: GgufFacts): JsonObject {
  const experts = {
    num_local_experts: number('expert_count'),
    num_experts_per_tok: number('expert_used_count'),
  };
  if (!hasTensor('model.layers.0.mlp.gate_proj.weight')) return experts;
  return {
    ...experts,
    model_type: 'granitemoehybrid',
    layer_types: new Array(layers).fill('attention'),
    position_embedding_type: 'rope',
    shared_intermediate_size: number('expert_shared_feed_forward_length'),
  };
}
