import type { JsonObject } from '../../text/files/json-file.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import {
  LLAMA,
  mambaNames,
  mambaShapes,
  mambaTensors,
  type NameTable,
  NEXTN,
  networkNames,
  without,
} from './names.ts';

const LAYER = 'backbone.layers.%';
const MIXER = `${LAYER}.mixer`;

const FALCON: NameTable = {
  ...without(LLAMA, 'blk.%.ffn_gate', 'blk.%.ffn_up', 'blk.%.ffn_down'),
  output_norm: 'model.final_layernorm',
  'blk.%.ffn_norm': 'model.layers.%.pre_ff_layernorm',
  ...networkNames('', 'model.layers.%.feed_forward'),
  ...mambaNames('model.layers.%.mamba'),
};

/** Norms are RMSNorms, with their epsilon under LayerNorm's name. */
const NEMOTRON: NameTable = {
  token_embd: 'backbone.embeddings',
  output_norm: 'backbone.norm_f',
  output: 'lm_head',
  'blk.%.attn_norm': `${LAYER}.norm`,
  'blk.%.attn_q': `${MIXER}.q_proj`,
  'blk.%.attn_k': `${MIXER}.k_proj`,
  'blk.%.attn_v': `${MIXER}.v_proj`,
  'blk.%.attn_output': `${MIXER}.o_proj`,
  'blk.%.ffn_up': `${MIXER}.up_proj`,
  'blk.%.ffn_down': `${MIXER}.down_proj`,
  ...mambaNames(MIXER),
  ...NEXTN,
  // Belongs to the layer that predicts several tokens at once.
  'blk.%.post_attention_norm': `${LAYER}.post_attention_layernorm`,
};

/** Mamba-2 with attention beside it, or in layers of their own. */
export const HYBRIDS: readonly (readonly [string, Architecture])[] = [
  [
    'falcon-h1',
    {
      names: FALCON,
      tensors: {
        ...mambaTensors('model.layers.%.mamba'),
        // llama.cpp's converter leaves out the ending.
        'blk.%.ffn_norm': 'model.layers.%.pre_ff_layernorm.weight',
      },
      shapes: mambaShapes,
      keys: falcon,
    },
  ],
  [
    'nemotron_h',
    {
      names: NEMOTRON,
      tensors: mambaTensors(MIXER),
      shapes: mambaShapes,
      layerNorms: true,
      withoutPositions: true,
      keys: facts => nemotron(facts, '-'),
    },
  ],
  [
    'nemotron_h_moe',
    {
      names: {
        ...NEMOTRON,
        'blk.%.ffn_gate_inp': `${MIXER}.gate`,
        'blk.%.ffn_up_exps': `${MIXER}.experts.up_proj`,
        'blk.%.ffn_down_exps': `${MIXER}.experts.down_proj`,
        'blk.%.ffn_up_shexp': `${MIXER}.shared_experts.up_proj`,
        'blk.%.ffn_down_shexp': `${MIXER}.shared_experts.down_proj`,
        'blk.%.ffn_latent_down': `${MIXER}.fc1_latent_proj`,
        'blk.%.ffn_latent_up': `${MIXER}.fc2_latent_proj`,
      },
      tensors: {
        ...mambaTensors(MIXER),
        'blk.%.exp_probs_b.bias': `${MIXER}.gate.e_score_correction_bias`,
      },
      shapes: mambaShapes,
      layerNorms: true,
      withoutPositions: true,
      experts: true,
      keys: facts => ({ ...nemotron(facts, 'E'), ...nemotronExperts(facts) }),
    },
  ],
];

/** Its factors are in the file's weights already. */
function falcon({ number, hasTensor }: GgufFacts): JsonObject {
  const mamba = 'model.layers.0.mamba';
  const inner = number('ssm.inner_size');
  return {
    model_type: 'falcon_h1',
    mamba_d_ssm: inner,
    mamba_n_heads: number('ssm.time_step_rank'),
    mamba_d_head: inner / number('ssm.time_step_rank'),
    mamba_n_groups: number('ssm.group_count'),
    mamba_d_state: number('ssm.state_size'),
    mamba_d_conv: number('ssm.conv_kernel'),
    mamba_conv_bias: hasTensor(`${mamba}.conv1d.bias`),
    mamba_proj_bias: hasTensor(`${mamba}.in_proj.bias`),
    projectors_bias: hasTensor(`${mamba}.out_proj.bias`),
    mamba_rms_norm: hasTensor(`${mamba}.norm.weight`),
    mamba_norm_before_gate: false,
  };
}

/** `network`: the letter of a layer without keys, values and states. */
function nemotron({ number, perLayer, hasTensor }: GgufFacts, network: string): JsonObject {
  const heads = perLayer('attention.head_count_kv');
  const widths = perLayer('feed_forward_length');
  const letters = heads.map((count, i) => (count > 0 ? '*' : (widths[i] as number) > 0 ? network : 'M'));
  const first = (letter: string) => `backbone.layers.${letters.indexOf(letter)}.mixer`;
  return {
    model_type: 'nemotron_h',
    hybrid_override_pattern: letters.join(''),
    layer_norm_epsilon: number('attention.layer_norm_epsilon'),
    mamba_num_heads: number('ssm.time_step_rank'),
    mamba_head_dim: number('ssm.inner_size') / number('ssm.time_step_rank'),
    n_groups: number('ssm.group_count'),
    ssm_state_size: number('ssm.state_size'),
    conv_kernel: number('ssm.conv_kernel'),
    use_conv_bias: hasTensor(`${first('M')}.conv1d.bias`),
    use_bias: hasTensor(`${first('M')}.in_proj.bias`),
    mlp_bias: hasTensor(`${first(network)}.up_proj.bias`),
  };
}

function nemotronExperts({ number, flag, has }: GgufFacts): JsonObject {
  return {
    n_routed_experts: number('expert_count'),
    num_experts_per_tok: number('expert_used_count'),
    n_group: number('expert_group_count', 1),
    moe_intermediate_size: number('expert_feed_forward_length'),
    moe_shared_expert_intermediate_size: number('expert_shared_feed_forward_length'),
    norm_topk_prob: flag('expert_weights_norm', true),
    routed_scaling_factor: number('expert_weights_scale', 1),
    ...(has('moe_latent_size') && { moe_latent_size: number('moe_latent_size') }),
  };
}
