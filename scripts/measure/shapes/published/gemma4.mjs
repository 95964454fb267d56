// Gemma 4 E2B: embeddings for each layer, windows in four layers of five, larger heads in the fifth, and the last 20
// layers use the keys and values of earlier ones.
import { factors, gatedMlp, layersOf, matrix, norm } from './tensors.mjs';

const HIDDEN = 1536;
const WIDTH = 6144;
const VOCABULARY = 262144;
const PER_LAYER = 256;
const [HEADS, HEAD_DIM, FULL_HEAD_DIM] = [8, 256, 512];
/** Layers with keys and values of their own. */
const OWN = 15;

const typesOf = layers =>
  Array.from({ length: layers }, (_, layer) =>
    layer % 5 === 4 || layer === layers - 1 ? 'full_attention' : 'sliding_attention',
  );

export const GEMMA4 = {
  layers: 35,
  config: layers => ({
    model_type: 'gemma4_text',
    hidden_size: HIDDEN,
    intermediate_size: WIDTH,
    num_hidden_layers: layers,
    num_attention_heads: HEADS,
    num_key_value_heads: 1,
    head_dim: HEAD_DIM,
    global_head_dim: FULL_HEAD_DIM,
    vocab_size: VOCABULARY,
    vocab_size_per_layer_input: VOCABULARY,
    hidden_size_per_layer_input: PER_LAYER,
    hidden_activation: 'gelu_pytorch_tanh',
    rms_norm_eps: 1e-6,
    max_position_embeddings: 131072,
    sliding_window: 512,
    num_kv_shared_layers: Math.max(0, layers - OWN),
    use_double_wide_mlp: true,
    final_logit_softcapping: 30,
    tie_word_embeddings: true,
    rope_parameters: {
      full_attention: { rope_type: 'proportional', rope_theta: 1000000, partial_rotary_factor: 0.25 },
      sliding_attention: { rope_type: 'default', rope_theta: 10000 },
    },
    layer_types: typesOf(layers),
  }),
  tensors: layers => {
    const types = typesOf(layers);
    return [
      matrix('model.embed_tokens', VOCABULARY, HIDDEN),
      matrix('model.embed_tokens_per_layer', VOCABULARY, layers * PER_LAYER),
      matrix('model.per_layer_model_projection', layers * PER_LAYER, HIDDEN),
      norm('model.per_layer_projection_norm', PER_LAYER),
      ...layersOf(layers, layer => layerTensors(layer, types[layer])),
      norm('model.norm', HIDDEN),
    ];
  },
};

const NORMS = [
  'input_layernorm',
  'post_attention_layernorm',
  'pre_feedforward_layernorm',
  'post_feedforward_layernorm',
  'post_per_layer_input_norm',
];

function layerTensors(layer, type) {
  const path = `model.layers.${layer}`;
  const shares = layer >= OWN;
  const dim = type === 'full_attention' ? FULL_HEAD_DIM : HEAD_DIM;
  const attention = `${path}.self_attn`;
  return [
    ...NORMS.map(name => norm(`${path}.${name}`, HIDDEN)),
    factors(`${path}.layer_scalar`, 1),
    matrix(`${attention}.q_proj`, HEADS * dim, HIDDEN),
    norm(`${attention}.q_norm`, dim),
    ...(shares
      ? []
      : [
          matrix(`${attention}.k_proj`, dim, HIDDEN),
          matrix(`${attention}.v_proj`, dim, HIDDEN),
          norm(`${attention}.k_norm`, dim),
        ]),
    matrix(`${attention}.o_proj`, HIDDEN, HEADS * dim),
    ...gatedMlp(`${path}.mlp`, HIDDEN, shares ? 2 * WIDTH : WIDTH),
    matrix(`${path}.per_layer_input_gate`, PER_LAYER, HIDDEN),
    matrix(`${path}.per_layer_projection`, HIDDEN, PER_LAYER),
  ];
}
