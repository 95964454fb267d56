// Nemotron 3 Nano 4B: each layer is Mamba-2, attention, or a network with relu².
import { kernel, layersOf, matrix, norm, vector } from './tensors.mjs';

/** M: Mamba-2, *: attention, -: network. */
const PATTERN = 'M-M-M-MM-M-M*-M-M*-M-M-M*-M-M-MM*-MMM-M-M-';
const HIDDEN = 3136;
const WIDTH = 12544;
const VOCABULARY = 131072;
const [HEADS, KV_HEADS, HEAD_DIM] = [40, 8, 128];
const MAMBA = { heads: 96, headDim: 80, groups: 8, state: 128, kernel: 4 };

const PARTS = { M: mamba, '*': attention, '-': network };

export const NEMOTRON_H = {
  layers: PATTERN.length,
  config: layers => ({
    model_type: 'nemotron_h',
    hidden_size: HIDDEN,
    intermediate_size: WIDTH,
    num_hidden_layers: layers,
    hybrid_override_pattern: PATTERN.slice(0, layers),
    num_attention_heads: HEADS,
    num_key_value_heads: KV_HEADS,
    head_dim: HEAD_DIM,
    vocab_size: VOCABULARY,
    layer_norm_epsilon: 1e-5,
    max_position_embeddings: 262144,
    tie_word_embeddings: false,
    mamba_num_heads: MAMBA.heads,
    mamba_head_dim: MAMBA.headDim,
    n_groups: MAMBA.groups,
    ssm_state_size: MAMBA.state,
    conv_kernel: MAMBA.kernel,
    use_conv_bias: true,
    mlp_hidden_act: 'relu2',
    mamba_hidden_act: 'silu',
    time_step_min: 0.001,
  }),
  tensors: layers => [
    matrix('backbone.embeddings', VOCABULARY, HIDDEN),
    ...layersOf(layers, layer => {
      const path = `backbone.layers.${layer}`;
      return [norm(`${path}.norm`, HIDDEN), ...PARTS[PATTERN[layer]](`${path}.mixer`)];
    }),
    norm('backbone.norm_f', HIDDEN),
    matrix('lm_head', VOCABULARY, HIDDEN),
  ],
};

function mamba(path) {
  const inner = MAMBA.heads * MAMBA.headDim;
  const channels = inner + 2 * MAMBA.groups * MAMBA.state;
  return [
    matrix(`${path}.in_proj`, inner + channels + MAMBA.heads, HIDDEN),
    kernel(`${path}.conv1d`, channels, MAMBA.kernel),
    vector(`${path}.conv1d.bias`, channels),
    vector(`${path}.A_log`, MAMBA.heads),
    vector(`${path}.D`, MAMBA.heads),
    vector(`${path}.dt_bias`, MAMBA.heads),
    norm(`${path}.norm`, inner),
    matrix(`${path}.out_proj`, HIDDEN, inner),
  ];
}

function attention(path) {
  return [
    matrix(`${path}.q_proj`, HEADS * HEAD_DIM, HIDDEN),
    matrix(`${path}.k_proj`, KV_HEADS * HEAD_DIM, HIDDEN),
    matrix(`${path}.v_proj`, KV_HEADS * HEAD_DIM, HIDDEN),
    matrix(`${path}.o_proj`, HIDDEN, HEADS * HEAD_DIM),
  ];
}

function network(path) {
  return [matrix(`${path}.up_proj`, WIDTH, HIDDEN), matrix(`${path}.down_proj`, HIDDEN, WIDTH)];
}
