import type { TensorEntry, WeightFiles } from '../../native/load-types.ts';
import { isObject, type JsonObject } from '../../text/files/json-file.ts';
import { takenTensors } from './ignored-tensors.ts';
import { elementCount } from './tensor-ranges.ts';

/** Bytes of all tensors in the files. */
export function storedBytes(weights: WeightFiles): number {
  return weights.tensors.reduce((sum, t) => sum + t.bytes, 0);
}

/** Weights that are used, before quantization; MLX packs several into each U32 and adds .scales and .biases. */
export function countParameters(weights: WeightFiles, config: JsonObject): number {
  const tensors = takenTensors(weights, config);
  const packed = new Set(tensors.filter(t => t.dtype === 'U32').map(t => t.name.replace(/weight$/, '')));
  let count = 0;
  for (const tensor of tensors) {
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
  const bits = bitsOf(tensor.name.replace(/\.weight$/, ''), config);
  return bits === undefined ? 1 : 32 / bits;
}

/** Bits of a module quantized by MLX; undefined if the config does not say. */
export function bitsOf(module: string, config: JsonObject): number | undefined {
  const defaults = isObject(config.quantization) ? config.quantization : config.quantization_config;
  if (!isObject(defaults)) return undefined;
  const own = defaults[module];
  const bits = (isObject(own) ? own : defaults).bits;
  return typeof bits === 'number' && bits > 0 ? bits : undefined;
}
