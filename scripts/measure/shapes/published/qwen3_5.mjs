// Qwen3.5-0.8B: Gated DeltaNet in three layers of four, in the others attention with a gate.
import { gatedMlp, kernel, layersOf, matrix, norm, vector } from './tensors.mjs';

const HIDDEN = 1024;
const WIDTH = 3584;
const VOCABULARY = 248320;
const [HEADS, KV_HEADS, HEAD_DIM] = [8, 2, 256];
/** As many key heads as value heads, of the same size. */
const [DELTA_HEADS, DELTA_DIM, KERNEL] = [16, 128, 4];
const DELTA = DELTA_HEADS * DELTA_DIM;

const typeOf = layer => (layer % 4 === 3 ? 'full_attention' : 'linear_attention');

export const QWEN3_5 = {
  layers: 24,
  config: layers => ({
    model_type: 'qwen3_5_text',
    hidden_size: HIDDEN,
    intermediate_size: WIDTH,
    num_hidden_layers: layers,
    num_attention_heads: HEADS,
    num_key_value_heads: KV_HEADS,
    head_dim: HEAD_DIM,
    vocab_size: VOCABULARY,
    rms_norm_eps: 1e-6,
    max_position_embeddings: 262144,
    tie_word_embeddings: true,
    rope_parameters: { rope_type: 'default', rope_theta: 10000000, partial_rotary_factor: 0.25 },
    linear_num_key_heads: DELTA_HEADS,
    linear_num_value_heads: DELTA_HEADS,
    linear_key_head_dim: DELTA_DIM,
    linear_value_head_dim: DELTA_DIM,
    linear_conv_kernel_dim: KERNEL,
    layer_types: layersOf(layers, typeOf),
  }),
  tensors: layers => [
    matrix('model.embed_tokens', VOCABULARY, HIDDEN),
    ...layersOf(layers, layer => {
      const path = `model.layers.${layer}`;
      return [
        norm(`${path}.input_layernorm`, HIDDEN),
        ...(typeOf(layer) === 'full_attention'
          ? attention(`${path}.self_attn`)
          : delta(`${path}.linear_attn`)),
        norm(`${path}.post_attention_layernorm`, HIDDEN),
        ...gatedMlp(`${path}.mlp`, HIDDEN, WIDTH),
      ];
    }),
    norm('model.norm', HIDDEN),
  ],
};

/** q_proj makes the queries and their gates. */
function attention(path) {
  return [
    matrix(`${path}.q_proj`, 2 * HEADS * HEAD_DIM, HIDDEN),
    matrix(`${path}.k_proj`, KV_HEADS * HEAD_DIM, HIDDEN),
    matrix(`${path}.v_proj`, KV_HEADS * HEAD_DIM, HIDDEN),
    matrix(`${path}.o_proj`, HIDDEN, HEADS * HEAD_DIM),
    norm(`${path}.q_norm`, HEAD_DIM),
    norm(`${path}.k_norm`, HEAD_DIM),
  ];
}

function delta(path) {
  return [
    matrix(`${path}.in_proj_qkv`, 3 * DELTA, HIDDEN),
    matrix(`${path}.in_proj_z`, DELTA, HIDDEN),
    matrix(`${path}.in_proj_b`, DELTA_HEADS, HIDDEN),
    matrix(`${path}.in_proj_a`, DELTA_HEADS, HIDDEN),
    kernel(`${path}.conv1d`, 3 * DELTA, KERNEL),
    vector(`${path}.A_log`, DELTA_HEADS),
    vector(`${path}.dt_bias`, DELTA_HEADS),
    norm(`${path}.norm`, DELTA_DIM),
    matrix(`${path}.out_proj`, HIDDEN, DELTA),
  ];
}
