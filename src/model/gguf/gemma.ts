import type { JsonObject } from '../../text/files/json-file.ts';
import { broken } from '../../text/files/model-fault.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import { expertNames, HEAD_NORMS, LLAMA, type NameTable, SANDWICH_NORMS } from './names.ts';
import { ROPE_FACTORS } from './rope.ts';

const GEMMA: NameTable = { ...LLAMA, ...SANDWICH_NORMS };

const GEMMA4: NameTable = {
  ...GEMMA,
  ...HEAD_NORMS,
  per_layer_token_embd: 'model.embed_tokens_per_layer',
  per_layer_model_proj: 'model.per_layer_model_projection',
  per_layer_proj_norm: 'model.per_layer_projection_norm',
  'blk.%.inp_gate': 'model.layers.%.per_layer_input_gate',
  'blk.%.proj': 'model.layers.%.per_layer_projection',
  'blk.%.post_norm': 'model.layers.%.post_per_layer_input_norm',
  'blk.%.pre_ffw_norm_2': 'model.layers.%.pre_feedforward_layernorm_2',
  'blk.%.post_ffw_norm_1': 'model.layers.%.post_feedforward_layernorm_1',
  'blk.%.post_ffw_norm_2': 'model.layers.%.post_feedforward_layernorm_2',
  'blk.%.ffn_gate_inp': 'model.layers.%.router.proj',
  'blk.%.ffn_gate_up_exps': 'model.layers.%.experts.gate_up_proj',
  ...expertNames('model.layers.%.experts'),
};

/** Norms around each part of a layer, windows in some layers. */
export const GEMMAS: readonly (readonly [string, Architecture])[] = [
  ['gemma2', { names: GEMMA, normShift: -1, keys: gemma2 }],
  ['gemma3', { names: { ...GEMMA, ...HEAD_NORMS }, normShift: -1, keys: gemma3 }],
  [
    'gemma4',
    {
      names: GEMMA4,
      tensors: {
        'blk.%.layer_output_scale.weight': 'model.layers.%.layer_scalar',
        'blk.%.ffn_gate_inp.scale': 'model.layers.%.router.scale',
        'blk.%.ffn_down_exps.scale': 'model.layers.%.router.per_expert_scale',
      },
      experts: true,
      keys: gemma4,
    },
  ],
];

function gemma2({ number, hidden, heads, headDim }: GgufFacts): JsonObject {
  return {
    hidden_activation: 'gelu_pytorch_tanh',
    // Not in the file: the 27 B model, the only one with 46 layers, has its own value.
    query_pre_attn_scalar: number('block_count') === 46 ? hidden / heads : headDim,
    attn_logit_softcapping: number('attn_logit_softcapping', 50),
    final_logit_softcapping: number('final_logit_softcapping', 30),
    sliding_window: number('attention.sliding_window', 4096),
  };
}

function gemma3({ number, hidden, heads, headDim }: GgufFacts): JsonObject {
  return {
    model_type: 'gemma3_text',
    hidden_activation: 'gelu_pytorch_tanh',
    // Not in the file: the 27 B model, the only one with 62 layers, has its own value.
    query_pre_attn_scalar: number('block_count') === 62 ? hidden / heads : headDim,
    sliding_window: number('attention.sliding_window'),
    sliding_window_pattern: number('attention.sliding_window_pattern', 6),
    rope_local_base_freq: number('rope.freq_base_swa', 10000),
    rope_theta: number('rope.freq_base', 1_000_000),
  };
}

/** The file's sizes of heads are those of full layers; windows have their own. */
function gemma4(facts: GgufFacts, path: string, common: JsonObject): JsonObject {
  const { number, perLayer, flags, hasTensor, headDim } = facts;
  const windowed = flags('attention.sliding_window_pattern');
  const kvHeads = perLayer('attention.head_count_kv');
  const widths = perLayer('feed_forward_length');
  const width = Math.min(...widths);
  const full = windowed.indexOf(false);
  const scaling = common.rope_scaling;
  if (full < 0) throw broken(path, 'is broken: no layer has full attention');
  if (scaling === null) throw broken(path, `is broken: tensor ${ROPE_FACTORS} is missing`);
  return {
    model_type: 'gemma4_text',
    intermediate_size: width,
    use_double_wide_mlp: widths.some(w => w === 2 * width),
    head_dim: number('attention.key_length_swa'),
    num_key_value_heads: kvHeads[Math.max(windowed.indexOf(true), 0)] as number,
    per_layer_config: { [full]: { head_dim: headDim, num_key_value_heads: kvHeads[full] as number } },
    attention_k_eq_v: !hasTensor(`model.layers.${full}.self_attn.v_proj.weight`),
    num_kv_shared_layers: number('attention.shared_kv_layers', 0),
    layer_types: windowed.map(window => (window ? 'sliding_attention' : 'full_attention')),
    sliding_window: number('attention.sliding_window'),
    final_logit_softcapping: number('final_logit_softcapping', 0),
    hidden_size_per_layer_input: number('embedding_length_per_layer_input', 0),
    vocab_size_per_layer_input: common.vocab_size,
    rope_scaling: null,
    rope_parameters: {
      full_attention: { ...(scaling as JsonObject), rope_theta: number('rope.freq_base', 1_000_000) },
      sliding_attention: { rope_type: 'default', rope_theta: number('rope.freq_base_swa', 10000) },
    },
    ...gemma4Experts(facts),
  };
}

function gemma4Experts({ number }: GgufFacts): JsonObject {
  const experts = number('expert_count', 0);
  if (experts === 0) return { enable_moe_block: false };
  return {
    enable_moe_block: true,
    num_experts: experts,
    top_k_experts: number('expert_used_count'),
    moe_intermediate_size: number('expert_feed_forward_length'),
  };
}
