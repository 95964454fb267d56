import { isObject, type JsonObject } from '../../text/files/json-file.ts';
import { unsupported } from '../../text/files/model-fault.ts';
import type { Architecture } from './architecture.ts';
import type { GgufFacts } from './facts.ts';
import { graniteKeys } from './granite.ts';
import { AFTER_NORMS, HEAD_NORMS, LLAMA, without } from './names.ts';
import { originalContext } from './rope.ts';

const NORMS = ['blk.%.attn_norm', 'blk.%.ffn_norm'];

/** Attention and a dense network in each layer. */
export const DENSE: readonly (readonly [string, Architecture])[] = [
  ['llama', { names: LLAMA, permuted: true }],
  [
    'granite',
    {
      names: LLAMA,
      permuted: true,
      keys: graniteKeys,
    },
  ],
  ['smollm3', { names: LLAMA, permuted: true }],
  ['mistral3', { names: LLAMA, permuted: true, keys: mistral3 }],
  [
    'phi3',
    {
      names: {
        ...without(LLAMA, 'blk.%.attn_q', 'blk.%.attn_k', 'blk.%.attn_v', 'blk.%.ffn_gate'),
        'blk.%.attn_qkv': 'model.layers.%.self_attn.qkv_proj',
        'blk.%.ffn_up': 'model.layers.%.mlp.gate_up_proj',
      },
      rotatesPart: true,
      keys: facts => ({
        // Phi-4, which has no window, says 0.
        sliding_window: facts.number('attention.sliding_window', 0) || null,
        original_max_position_embeddings: originalContext(facts),
      }),
    },
  ],
  ['qwen2', { names: LLAMA }],
  ['qwen3', { names: { ...LLAMA, ...HEAD_NORMS } }],
  [
    'seed_oss',
    {
      names: {
        ...without(LLAMA, 'blk.%.ffn_norm'),
        'blk.%.post_attention_norm': 'model.layers.%.post_attention_layernorm',
      },
      keys: ({ hasTensor }) => ({
        attention_out_bias: hasTensor('model.layers.0.self_attn.o_proj.bias'),
      }),
    },
  ],
  [
    'ernie4_5',
    {
      names: LLAMA,
      keys: ({ hasTensor }) => ({ use_bias: hasTensor('model.layers.0.self_attn.q_proj.bias') }),
    },
  ],
  [
    'glm4',
    {
      names: {
        ...without(LLAMA, 'blk.%.ffn_gate'),
        'blk.%.ffn_up': 'model.layers.%.mlp.gate_up_proj',
        'blk.%.post_attention_norm': 'model.layers.%.post_self_attn_layernorm',
        'blk.%.post_ffw_norm': 'model.layers.%.post_mlp_layernorm',
      },
      rotatesPart: true,
    },
  ],
  [
    'hunyuan-dense',
    {
      names: {
        ...LLAMA,
        'blk.%.attn_q_norm': 'model.layers.%.self_attn.query_layernorm',
        'blk.%.attn_k_norm': 'model.layers.%.self_attn.key_layernorm',
      },
      // The base of the rotation in the file is already the larger one.
      keys: () => ({ model_type: 'hunyuan_v1_dense' }),
    },
  ],
  [
    'olmo2',
    {
      names: { ...without(LLAMA, ...NORMS), ...HEAD_NORMS, ...AFTER_NORMS },
      // llama.cpp has no name of its own for OLMo 3.
      keys: ({ number, has }) =>
        has('attention.sliding_window')
          ? { model_type: 'olmo3', sliding_window: number('attention.sliding_window') }
          : {},
    },
  ],
  [
    'exaone4',
    {
      names: { ...without(LLAMA, ...NORMS), ...HEAD_NORMS, ...AFTER_NORMS },
      keys: ({ number, has }) => ({
        sliding_window: has('attention.sliding_window') ? number('attention.sliding_window') : null,
      }),
    },
  ],
  [
    'cohere2',
    {
      names: without(LLAMA, 'blk.%.ffn_norm', 'output'),
      layerNorms: true,
      keys: ({ number }) => ({
        logit_scale: number('logit_scale'),
        sliding_window: number('attention.sliding_window'),
      }),
    },
  ],
  [
    'phi2',
    {
      names: {
        ...without(LLAMA, 'blk.%.ffn_norm', 'blk.%.ffn_gate'),
        output_norm: 'model.final_layernorm',
        'blk.%.attn_qkv': 'model.layers.%.self_attn.qkv_proj',
        'blk.%.attn_output': 'model.layers.%.self_attn.dense',
        'blk.%.ffn_up': 'model.layers.%.mlp.fc1',
        'blk.%.ffn_down': 'model.layers.%.mlp.fc2',
      },
      layerNorms: true,
      rotatesPart: true,
      keys: () => ({ model_type: 'phi', hidden_act: 'gelu_new' }),
    },
  ],
  [
    'apertus',
    {
      names: {
        ...without(LLAMA, 'blk.%.ffn_gate'),
        ...HEAD_NORMS,
        'blk.%.attn_norm': 'model.layers.%.attention_layernorm',
        'blk.%.ffn_norm': 'model.layers.%.feedforward_layernorm',
      },
      keys: apertus,
    },
  ],
];

/** The numbers of its activation are tensors elsewhere. */
function apertus({ perLayer }: GgufFacts, _path: string, common: JsonObject): JsonObject {
  const numbers = ['alpha_p', 'alpha_n', 'beta', 'eps'].map(name => [name, perLayer(`xielu.${name}`, '')]);
  return {
    xielu: Object.fromEntries(numbers),
    // Without any, a scaled rotation would be meant.
    ...(common.rope_scaling === null && {
      rope_parameters: { rope_type: 'default', rope_theta: common.rope_theta },
    }),
  };
}

/** Ministral 3, whose queries may grow with the position, and Mistral Small 3; neither has a window. */
function mistral3({ number }: GgufFacts, path: string, { rope_scaling: scaling }: JsonObject): JsonObject {
  const growth = number('attention.temperature_scale', 0);
  if (isObject(scaling) && scaling.rope_type === 'yarn') {
    return {
      model_type: 'ministral3',
      sliding_window: null,
      rope_scaling: null,
      rope_parameters: {
        ...scaling,
        // The file has only the other one, which turns it off where it is 1 too.
        mscale: 1,
        mscale_all_dim: number('rope.scaling.yarn_log_multiplier', 0),
        llama_4_scaling_beta: growth,
      },
    };
  }
  if (growth === 0) return { model_type: 'mistral', sliding_window: null };
  throw unsupported(path, 'has queries that grow with the position without yarn, which is not supported');
}
