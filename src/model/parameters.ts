import type { StoredDtype, TensorEntry, WeightFiles } from '../native/addon-types.ts';
import { isObject, type JsonObject } from './json-file.ts';
import type { Quantization } from './quantization.ts';
import { elementCount } from './tensor-ranges.ts';

/** Bytes of all tensors in the files. */
export function storedBytes(weights: WeightFiles): number {
  return weights.tensors.reduce((sum, t) => sum + t.bytes, 0);
}

/**
 * Bytes of all tensors in memory: on a CPU the engine keeps floats, scales and biases in float32. `quantize` is done
 * while loading.
 */
export function loadedBytes(
  weights: WeightFiles,
  config: JsonObject,
  device: Device,
  quantize?: Quantization | undefined,
): number {
  const bytesOf = (tensor: TensorEntry) => loadedTensorBytes(tensor, config, device, quantize);
  return weights.tensors.reduce((sum, tensor) => sum + bytesOf(tensor), 0);
}

/** Bytes read for one token of a single reply: an untied input matrix gives one row, experts their share. */
export function bytesPerDecodedToken(
  weights: WeightFiles,
  config: JsonObject,
  device: Device,
  quantize?: Quantization | undefined,
): number {
  const untied = weights.tensors.some(t => t.name.endsWith('lm_head.weight'));
  const experts = Number(config.num_local_experts ?? config.num_experts ?? 0);
  const share = experts > 0 ? Math.min(1, Number(config.num_experts_per_tok ?? experts) / experts) : 1;
  return weights.tensors.reduce((sum, tensor) => {
    if (untied && tensor.name.includes('embed_tokens.')) return sum;
    const bytes = loadedTensorBytes(tensor, config, device, quantize);
    return sum + (isExpert(tensor.name) ? bytes * share : bytes);
  }, 0);
}

function isExpert(name: string): boolean {
  return /\.experts\.|switch_mlp\.|block_sparse_moe\.(input|output)_linear\./.test(name);
}

type Device = 'cpu' | 'gpu';

function loadedTensorBytes(
  tensor: TensorEntry,
  config: JsonObject,
  device: Device,
  quantize: Quantization | undefined,
): number {
  if (!quantize || !isQuantisable(tensor, config, quantize)) {
    return device === 'cpu' ? tensor.bytes * CPU_GROWTH[tensor.dtype] : tensor.bytes;
  }
  const count = elementCount(tensor.shape) ?? 0;
  const groupBytes = quantize.mode === 'affine' ? 2 * (device === 'cpu' ? 4 : 2) : 1;
  return (count * quantize.bits) / 8 + (count / quantize.groupSize) * groupBytes;
}

/** The engine packs every float matrix whose rows are whole groups, but for routers. */
function isQuantisable(
  { name, dtype, shape }: TensorEntry,
  config: JsonObject,
  { groupSize }: Quantization,
): boolean {
  const float = dtype === 'F32' || dtype === 'F16' || dtype === 'BF16';
  // gpt-oss stores its dense experts as [experts, in, out].
  const turned = config.model_type === 'gpt_oss' && shape.length === 3;
  const rowLength = shape.at(turned ? -2 : -1) ?? 0;
  const matrix = shape.length >= 2 && !/bias$|router|\.gate\.weight$/.test(name);
  return float && matrix && rowLength % groupSize === 0;
}

const CPU_GROWTH: Readonly<Record<StoredDtype, number>> = {
  F32: 1,
  F16: 2,
  BF16: 2,
  U32: 1,
  U8: 1,
  I32: 1,
  // Groups of 32 get a float32 scale and bias.
  Q4_0: 24 / 18,
  Q4_1: 24 / 20,
  Q5_0: 40 / 22,
  Q5_1: 40 / 24,
  Q8_0: 40 / 34,
  Q4_K: 192 / 144,
  Q5_K: 320 / 176,
  Q6_K: 320 / 210,
};

/** Weights before quantisation; MLX packs several into each U32 and adds .scales and .biases. */
export function countParameters(weights: WeightFiles, config: JsonObject): number {
  const packed = new Set(
    weights.tensors.filter(t => t.dtype === 'U32').map(t => t.name.replace(/weight$/, '')),
  );
  let count = 0;
  for (const tensor of weights.tensors) {
    const extra = /^(.+\.)(scales|biases)$/.exec(tensor.name)?.[1];
    if (extra !== undefined && packed.has(extra)) continue;
    count += (elementCount(tensor.shape) ?? 0) * weightsPerElement(tensor, config);
  }
  return Math.round(count);
}

function weightsPerElement(tensor: TensorEntry, config: JsonObject): number {
  // Two mxfp4 weights a byte, as gpt-oss stores its experts.
  if (tensor.dtype === 'U8') return tensor.name.endsWith('_blocks') ? 2 : 0;
  if (tensor.dtype !== 'U32') return 1;
  const defaults = isObject(config.quantization) ? config.quantization : config.quantization_config;
  if (!isObject(defaults)) return 1;
  const own = defaults[tensor.name.replace(/\.weight$/, '')];
  const bits = (isObject(own) ? own : defaults).bits;
  return typeof bits === 'number' && bits > 0 ? 32 / bits : 1;
}
