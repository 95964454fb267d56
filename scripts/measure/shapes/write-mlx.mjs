// Shapes of decoders.mjs and published/ as folders in MLX's format with random weights, without a tokenizer.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headDimOf, isAttention, tensorsOf, VOCABULARY } from './decoders.mjs';
import { bfloat16, fillWithFloats, fillWithNoise } from './random.mjs';
import { writeSafetensors } from './safetensors.mjs';

/** Standard deviation of the weights: small enough that logits stay near 1. */
const DEVIATION = 0.02;
const GROUP = 64;
const MXFP4_GROUP = 32;

/** With how the matrices are quantized. */
function configOf(shape, layers, tensors, { bits, experts }) {
  const affine = { group_size: GROUP, bits, mode: 'affine' };
  const own = Object.fromEntries(
    tensors
      .filter(({ kind }) => kind === 'experts' && experts === 'mxfp4')
      .map(({ mlx }) => [mlx, { group_size: MXFP4_GROUP, bits: 4, mode: 'mxfp4' }]),
  );
  const config = shape.config ? shape.config(layers) : decoderConfig(shape, layers);
  return { ...config, torch_dtype: 'bfloat16', quantization: { ...affine, ...own } };
}

function decoderConfig(shape, layers) {
  const { hidden, heads, kvHeads, mlp, theta, eps, untied, experts, window, multipliers } = shape;
  return {
    model_type: shape.mlx,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    head_dim: headDimOf(shape),
    intermediate_size: mlp,
    rms_norm_eps: eps,
    norm_eps: eps,
    rope_theta: theta,
    max_position_embeddings: 131072,
    vocab_size: VOCABULARY,
    tie_word_embeddings: untied !== true,
    ...(multipliers && {
      attention_multiplier: multipliers.attention,
      embedding_multiplier: multipliers.embedding,
      residual_multiplier: multipliers.residual,
      logits_scaling: multipliers.logits,
    }),
    ...(window && {
      sliding_window: window,
      attention_bias: true,
      swiglu_limit: 7,
      rope_scaling: {
        rope_type: 'yarn',
        factor: 32,
        original_max_position_embeddings: 4096,
        rope_theta: theta,
      },
    }),
    ...(experts && {
      num_experts: experts.count,
      num_local_experts: experts.count,
      num_experts_per_tok: experts.used,
      moe_intermediate_size: experts.width,
      norm_topk_prob: true,
    }),
    ...(shape.kernel && {
      conv_L_cache: shape.kernel,
      num_dense_layers: shape.dense,
      layer_types: Array.from({ length: layers }, (_, i) =>
        isAttention(shape, i) ? 'full_attention' : 'conv',
      ),
    }),
  };
}

const noise = (bytes, seed) => fillWithNoise(bytes, seed);
const floats = value => bytes =>
  new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2).fill(value);
const small = (bytes, seed) => {
  fillWithNoise(bytes, seed);
  fillWithFloats(bytes, 2);
};
/** Exponents with a bias of 127: of 2^-7 and 2^-6. */
const exponents = (bytes, seed) => {
  fillWithNoise(bytes, seed);
  for (let i = 0; i < bytes.length; i++) bytes[i] = 120 + (bytes[i] & 1);
};

/** A tensor as it is stored in the file: `{ name, dtype, shape, fill }`. */
function stored({ mlx, shape, kind, bareInMlx }, { bits, experts }) {
  const bare = bareInMlx || mlx.endsWith('.bias');
  if (kind !== 'matrix' && kind !== 'experts') {
    const whole = kind === 'kernel' ? [...shape, 1] : shape;
    const fill = kind === 'norm' ? floats(bfloat16(1)) : small;
    return [{ name: bare ? mlx : `${mlx}.weight`, dtype: 'BF16', shape: whole, fill }];
  }
  const [rows, cols] = [shape.slice(0, -1), shape.at(-1)];
  const part = (name, dtype, width, fill) => ({
    name: `${mlx}.${name}`,
    dtype,
    shape: [...rows, width],
    fill,
  });
  if (kind === 'experts' && experts === 'mxfp4') {
    return [part('weight', 'U32', cols / 8, noise), part('scales', 'U8', cols / MXFP4_GROUP, exponents)];
  }
  // Codes of any value: the deviation of 2^bits equally likely steps is 2^bits / √12.
  const scale = (DEVIATION * Math.sqrt(12)) / 2 ** bits;
  return [
    part('weight', 'U32', (cols * bits) / 32, noise),
    part('scales', 'BF16', cols / GROUP, floats(bfloat16(scale))),
    part('biases', 'BF16', cols / GROUP, floats(bfloat16(-scale * 2 ** (bits - 1)))),
  ];
}

/** `quantized`: `{ bits, experts }`, affine in groups of 64; `experts`: 'mxfp4' for theirs. */
export function writeShapeAsMlx(folder, shape, layers, quantized) {
  const tensors = shape.tensors ? shape.tensors(layers) : tensorsOf(shape, layers);
  const config = configOf(shape, layers, tensors, quantized);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  writeSafetensors(
    join(folder, 'model.safetensors'),
    tensors.flatMap(tensor => stored(tensor, quantized)),
  );
}
