// Shapes of decoders.mjs as GGUF files with random weights.
import { demoWeightsPath } from '../../../dist/model/demo-model.js';
import { headDimOf, isAttention, tensorsOf, VOCABULARY } from './decoders.mjs';
import { writeGguf } from './gguf.mjs';

/** Keys and values below the architecture's name; fractions as `{ float }`. */
function ownKeys(shape, layers) {
  const { hidden, heads, kvHeads, mlp, theta, eps, experts, window, multipliers, kernel, dense } = shape;
  const perLayer = Array.from({ length: layers }, (_, layer) => (isAttention(shape, layer) ? kvHeads : 0));
  return {
    context_length: 131072,
    embedding_length: hidden,
    block_count: layers,
    feed_forward_length: mlp,
    'attention.head_count': heads,
    'attention.head_count_kv': perLayer.every(count => count === kvHeads) ? kvHeads : perLayer,
    'attention.key_length': headDimOf(shape),
    'attention.value_length': headDimOf(shape),
    'attention.layer_norm_rms_epsilon': { float: eps },
    'rope.freq_base': { float: theta },
    'rope.dimension_count': headDimOf(shape),
    vocab_size: VOCABULARY,
    ...(window && {
      'attention.sliding_window': window,
      'rope.scaling.type': 'yarn',
      'rope.scaling.factor': { float: 32 },
      'rope.scaling.original_context_length': 4096,
    }),
    ...(multipliers && {
      'attention.scale': { float: multipliers.attention },
      embedding_scale: { float: multipliers.embedding },
      residual_scale: { float: multipliers.residual },
      logit_scale: { float: multipliers.logits },
    }),
    ...(experts && {
      expert_count: experts.count,
      expert_used_count: experts.used,
      expert_feed_forward_length: experts.width,
    }),
    // By the sigmoid.
    ...(kernel && { 'shortconv.l_cache': kernel, leading_dense_block_count: dense, expert_gating_func: 2 }),
  };
}

/** Q4_K_M: half of the values and of the last feed-forward matrices has more bits, as the embedding. */
function mixedType(name, layer, layers) {
  if (layer === undefined) return 'Q6_K';
  const eighth = Math.floor(layers / 8);
  const more = layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
  return more && /attn_v|ffn_down/.test(name) ? 'Q6_K' : 'Q4_K';
}

function typeOf({ gguf, kind, layer }, type, layers) {
  if (kind !== 'matrix' && kind !== 'experts') return kind === 'norm' ? 'F32' : 'random F32';
  if (type === 'Q4_K_M') return mixedType(gguf, layer, layers);
  // As the published files of gpt-oss.
  return type === 'MXFP4' && kind === 'matrix' ? 'Q8_0' : type;
}

/** `type`: of the matrices; Q4_K_M is a mix of two, MXFP4 is for experts, beside Q8_0. */
export function writeShapeAsGguf(path, shape, layers, type) {
  const keys = Object.entries(ownKeys(shape, layers)).map(([key, value]) => [`${shape.gguf}.${key}`, value]);
  const metadata = {
    'general.architecture': shape.gguf,
    'general.name': 'random',
    ...Object.fromEntries(keys),
  };
  const tensors = tensorsOf(shape, layers).map(tensor => ({
    name: /\.bias$/.test(tensor.gguf) ? tensor.gguf : `${tensor.gguf}.weight`,
    shape: tensor.shape,
    type: typeOf(tensor, type, layers),
  }));
  writeGguf(path, { metadata, tensors, tokenizer: demoWeightsPath(process.env) });
}
