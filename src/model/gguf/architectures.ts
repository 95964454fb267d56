import type { JsonObject } from '../../text/files/json-file.ts';
import { AFTER_NORMS, HEAD_NORMS, LLAMA, type NameTable, SANDWICH_NORMS, without } from './names.ts';

/** What a file says of its model. */
export interface GgufFacts {
  /** Metadata below the architecture's name. Throws where it is missing and has no default. */
  number(key: string, missing?: number): number;
  has(key: string): boolean;
  /** By its Hugging Face name. */
  hasTensor(name: string): boolean;
  readonly hidden: number;
  readonly heads: number;
  readonly headDim: number;
}

/** One of llama.cpp's architectures. */
export interface Architecture {
  readonly names: NameTable;
  /** The rows of q and k interleave the halves of each rotary head. */
  readonly permuted?: boolean;
  /** Added to norm weights: -1 if files hold 1 + w. */
  readonly normShift?: number;
  /** LayerNorm instead of RMSNorm. */
  readonly layerNorms?: boolean;
  /** Rotates the first channels of each head only. */
  readonly rotatesPart?: boolean;
  /** Keys of config.json beyond llama's, with model_type where that has another name. */
  keys?(facts: GgufFacts): JsonObject;
}

const NORMS = ['blk.%.attn_norm', 'blk.%.ffn_norm'];

/** The supported ones. */
export const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map<string, Architecture>([
  ['llama', { names: LLAMA, permuted: true }],
  [
    'granite',
    {
      names: LLAMA,
      permuted: true,
      keys: ({ number }) => ({
        embedding_multiplier: number('embedding_scale', 1),
        attention_multiplier: number('attention.scale'),
        residual_multiplier: number('residual_scale', 1),
        logits_scaling: number('logit_scale', 1),
      }),
    },
  ],
  ['qwen2', { names: LLAMA }],
  ['qwen3', { names: { ...LLAMA, ...HEAD_NORMS } }],
  ['gemma2', { names: { ...LLAMA, ...SANDWICH_NORMS }, normShift: -1, keys: gemma2 }],
  ['gemma3', { names: { ...LLAMA, ...HEAD_NORMS, ...SANDWICH_NORMS }, normShift: -1, keys: gemma3 }],
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
]);

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
