// Decoders with llama's tensors in GGUF files, and how llama.cpp quantizes them.
import { demoWeightsPath } from '../../../dist/model/demo-model.js';
import { writeGguf } from './gguf.mjs';

/** With the demo's vocabulary, whose tokenizer the files get. */
const VOCABULARY = 49152;

/** Llama 3.2 1B and granite-4.0-1b, but for the vocabulary. */
const SHAPES = {
  'llama-1b': {
    architecture: 'llama',
    layers: 16,
    hidden: 2048,
    heads: 32,
    kvHeads: 8,
    mlp: 8192,
    theta: 500000,
  },
  'granite-1b': {
    architecture: 'granite',
    ...{ layers: 40, hidden: 2048, heads: 16, kvHeads: 4, mlp: 4096, theta: 10000000 },
    more: {
      'attention.scale': { float: 0.0078125 },
      embedding_scale: { float: 12 },
      residual_scale: { float: 0.22 },
      logit_scale: { float: 8 },
    },
  },
};

/** The models of `writeLlama`. */
export const LLAMA_MODELS = [
  'llama-1b-Q4_0',
  'llama-1b-Q4_K',
  'llama-1b-Q4_K_M',
  'llama-1b-Q8_0',
  'granite-1b-Q4_0',
];

function metadataOf({ architecture, hidden, heads, kvHeads, mlp, theta, more = {} }, layers) {
  const own = {
    context_length: 131072,
    embedding_length: hidden,
    block_count: layers,
    feed_forward_length: mlp,
    'attention.head_count': heads,
    'attention.head_count_kv': kvHeads,
    'attention.layer_norm_rms_epsilon': { float: 1e-5 },
    'rope.freq_base': { float: theta },
    'rope.dimension_count': hidden / heads,
    vocab_size: VOCABULARY,
    ...more,
  };
  const named = Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value]);
  return { 'general.architecture': architecture, 'general.name': 'random', ...Object.fromEntries(named) };
}

/** Q4_K_M: half of the values and of the last feed-forward matrices has more bits, as the embedding. */
function typeOf(mix, name, layer, layers) {
  if (mix !== 'Q4_K_M') return mix;
  if (name === 'token_embd') return 'Q6_K';
  const eighth = Math.floor(layers / 8);
  const more = layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
  return more && (name === 'attn_v' || name === 'ffn_down') ? 'Q6_K' : 'Q4_K';
}

function tensorsOf({ hidden, heads, kvHeads, mlp }, layers, mix) {
  const matrix = (name, rows, cols, layer) => ({
    name: `${layer === undefined ? '' : `blk.${layer}.`}${name}.weight`,
    shape: [rows, cols],
    type: typeOf(mix, name, layer, layers),
  });
  const norm = name => ({ name: `${name}.weight`, shape: [hidden], type: 'F32' });
  const kv = (hidden / heads) * kvHeads;
  const all = Array.from({ length: layers }, (_, layer) => [
    norm(`blk.${layer}.attn_norm`),
    matrix('attn_q', hidden, hidden, layer),
    matrix('attn_k', kv, hidden, layer),
    matrix('attn_v', kv, hidden, layer),
    matrix('attn_output', hidden, hidden, layer),
    norm(`blk.${layer}.ffn_norm`),
    matrix('ffn_gate', mlp, hidden, layer),
    matrix('ffn_up', mlp, hidden, layer),
    matrix('ffn_down', hidden, mlp, layer),
  ]);
  return [matrix('token_embd', VOCABULARY, hidden), ...all.flat(), norm('output_norm')];
}

/** Writes one of LLAMA_MODELS; `layers`: fewer than the shape has. */
export function writeLlama(path, model, layers) {
  const [name] = Object.keys(SHAPES).filter(name => model.startsWith(name));
  const shape = SHAPES[name];
  const count = Math.min(shape.layers, layers ?? shape.layers);
  const tensors = tensorsOf(shape, count, model.slice(name.length + 1));
  writeGguf(path, { metadata: metadataOf(shape, count), tensors, tokenizer: demoWeightsPath(process.env) });
}
