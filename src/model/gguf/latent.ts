import type { JsonObject } from '../../text/files/json-file.ts';
import { unsupported } from '../../text/files/model-fault.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import { expertNames, LLAMA, type NameTable, NEXTN, networkNames, without } from './names.ts';

const LATENT: NameTable = {
  ...without(LLAMA, 'blk.%.attn_k', 'blk.%.attn_v'),
  'blk.%.attn_q_a': 'model.layers.%.self_attn.q_a_proj',
  'blk.%.attn_q_a_norm': 'model.layers.%.self_attn.q_a_layernorm',
  'blk.%.attn_q_b': 'model.layers.%.self_attn.q_b_proj',
  'blk.%.attn_kv_a_mqa': 'model.layers.%.self_attn.kv_a_proj_with_mqa',
  'blk.%.attn_kv_a_norm': 'model.layers.%.self_attn.kv_a_layernorm',
  'blk.%.attn_kv_b': 'model.layers.%.self_attn.kv_b_proj',
};

/** Multi-head latent attention. */
export const LATENTS: readonly (readonly [string, Architecture])[] = [
  [
    'deepseek2',
    {
      names: {
        ...LATENT,
        // In place of kv_b_proj, as mlx-lm splits it too.
        'blk.%.attn_k_b': 'model.layers.%.self_attn.embed_q',
        'blk.%.attn_v_b': 'model.layers.%.self_attn.unembed_out',
        'blk.%.ffn_gate_inp': 'model.layers.%.mlp.gate',
        ...expertNames('model.layers.%.mlp.switch_mlp'),
        ...networkNames('_shexp', 'model.layers.%.mlp.shared_experts'),
        ...NEXTN,
      },
      tensors: { 'blk.%.exp_probs_b.bias': 'model.layers.%.mlp.gate.e_score_correction_bias' },
      rotatesPart: true,
      experts: true,
      keys: deepseek,
    },
  ],
  ['minicpm3', { names: LATENT, rotatesPart: true, keys: facts => latent(facts) }],
];

function latent({ number, has, hidden, heads }: GgufFacts): JsonObject {
  const rotated = number('rope.dimension_count');
  // Where a file has both, the shorter names are those of the latents.
  const key = number('attention.key_length_mla', number('attention.key_length'));
  const value = number('attention.value_length_mla', number('attention.value_length', hidden / heads));
  return {
    num_key_value_heads: heads,
    head_dim: rotated,
    partial_rotary_factor: 1,
    q_lora_rank: has('attention.q_lora_rank') ? number('attention.q_lora_rank') : null,
    kv_lora_rank: number('attention.kv_lora_rank'),
    qk_nope_head_dim: key - rotated,
    qk_rope_head_dim: rotated,
    v_head_dim: value,
  };
}

/** llama.cpp's number of a way to choose experts. */
const SIGMOID = 2;

/** DeepSeek V3 and what is built like it, such as GLM 4.7 Flash. */
function deepseek(facts: GgufFacts, path: string, common: JsonObject): JsonObject {
  const { number, flag, layers } = facts;
  const experts = number('expert_count', 0);
  if (experts > 0 && number('expert_gating_func', 0) !== SIGMOID) {
    throw unsupported(
      path,
      'does not choose experts by a sigmoid (DeepSeek V2 does not), which is not supported',
    );
  }
  return {
    ...latent(facts),
    model_type: 'deepseek_v3',
    rope_scaling: scaling(facts, common.rope_scaling),
    first_k_dense_replace: number('leading_dense_block_count', experts > 0 ? 0 : layers),
    n_routed_experts: experts,
    n_shared_experts: number('expert_shared_count', 0),
    num_experts_per_tok: number('expert_used_count', 0),
    moe_intermediate_size: number('expert_feed_forward_length', 0),
    n_group: number('expert_group_count', 1),
    topk_group: number('expert_group_used_count', 1),
    norm_topk_prob: flag('expert_weights_norm', false),
    routed_scaling_factor: number('expert_weights_scale', 1),
  };
}

/** The file has a tenth of mscale_all_dim, and the checkpoints' mscale is the same. */
function scaling({ number }: GgufFacts, common: unknown): unknown {
  const mscale = 10 * number('rope.scaling.yarn_log_multiplier', 0);
  if (common === null || mscale === 0) return common;
  return { ...(common as JsonObject), mscale, mscale_all_dim: mscale };
}
