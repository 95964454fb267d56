import type { StoredDtype, TensorEntry, WeightFiles } from '../native/addon-types.ts';
import { isObject, type JsonObject } from './json-file.ts';
import { elementCount } from './tensor-ranges.ts';

/** Bytes of all tensors in the files. */
export function storedBytes(weights: WeightFiles): number {
  return weights.tensors.reduce((sum, t) => sum + t.bytes, 0);
}

/** Bytes of all tensors in memory: on a CPU the engine keeps floats, scales and biases in float32. */
export function loadedBytes(weights: WeightFiles, device: 'cpu' | 'gpu'): number {
  if (device === 'gpu') return storedBytes(weights);
  return weights.tensors.reduce((sum, t) => sum + t.bytes * CPU_GROWTH[t.dtype], 0);
}

const CPU_GROWTH: Readonly<Record<StoredDtype, number>> = {
  F32: 1,
  F16: 2,
  BF16: 2,
  U32: 1,
  U8: 1,
  I32: 1,
  // Blocks of 32 get a float32 scale and bias.
  Q4_0: 24 / 18,
  Q4_1: 24 / 20,
  Q8_0: 40 / 34,
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
