import type { WeightLayout } from '../../native/addon-types.ts';
import type { StoredDtype, TensorEntry, WeightFiles } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { isEncoderType } from '../encoder/encoder-types.ts';
import { takenTensors } from './ignored-tensors.ts';
import { bitsOf } from './parameters.ts';
import type { Quantization } from './quantization.ts';
import { elementCount } from './tensor-ranges.ts';

/** How tensors are held once loaded. `quantize` happens while loading. */
export interface Loading {
  readonly layout: WeightLayout;
  readonly quantize?: Quantization | undefined;
  /** Packed float32 matrices are rounded to bfloat16. Default false. */
  readonly encoder?: boolean | undefined;
}

/** Bytes of the tensors in memory. */
export function loadedBytes(weights: WeightFiles, config: JsonObject, loading: Loading): number {
  return takenTensors(weights, config).reduce((sum, tensor) => sum + tensorBytes(tensor, config, loading), 0);
}

/** Bytes read per token of a single reply: one row of an embedding that is no head, and only the experts in use. */
export function bytesPerDecodedToken(weights: WeightFiles, config: JsonObject, loading: Loading): number {
  const tensors = takenTensors(weights, config);
  const untied = tensors.some(t => t.name.endsWith('lm_head.weight'));
  const experts = Number(config.num_local_experts ?? config.num_experts ?? config.n_routed_experts ?? 0);
  const share = experts > 0 ? Math.min(1, Number(config.num_experts_per_tok ?? experts) / experts) : 1;
  return tensors.reduce((sum, tensor) => {
    if (untied && /(embed_tokens|embeddings)\./.test(tensor.name)) return sum;
    if (tensor.name.includes('embed_tokens_per_layer.')) return sum;
    const bytes = tensorBytes(tensor, config, loading);
    return sum + (isExpert(tensor.name) ? bytes * share : bytes);
  }, 0);
}

function isExpert(name: string): boolean {
  return /\.experts\.|switch_mlp\.|block_sparse_moe\.(input|output)_linear\./.test(name);
}

/** Matrices of heads with latent attention: a CPU takes them dense. */
const LATENT_HEADS = /^(.*\.(?:kv_b_proj|embed_q|unembed_out))\.(weight|scales|biases)$/;
const ROUTER = /router|_coefs|\.(gate|shared_expert_gate)\./;
/** Rows of a packed matrix are padded to a multiple of this. */
const BLOCK_ROWS = 16;
const PACKED_BITS: ReadonlySet<number | undefined> = new Set([2, 3, 4, 5, 6, 8]);

function tensorBytes(tensor: TensorEntry, config: JsonObject, loading: Loading): number {
  const { layout, quantize } = loading;
  const textLinear = isEncoderType(config.model_type) || tensor.name.startsWith('dense.');
  if (loading.encoder && textLinear) return encoderBytes(tensor, loading);
  if (layout !== 'stored' && LATENT_HEADS.test(tensor.name)) return headBytes(tensor, config, loading);
  if (quantize && isQuantizable(tensor, config, quantize)) return quantizedBytes(tensor, layout, quantize);
  if (layout === 'stored') return tensor.bytes;
  const packed = layout === 'packed' && isPacked(tensor, config);
  const wide = layout === 'packed' && tensor.dtype === 'F32' && tensor.name.endsWith('.weight');
  if (loading.encoder && wide && isPacked({ ...tensor, dtype: 'BF16' }, config))
    return filledUp(tensor.bytes / 2, tensor);
  return packed
    ? filledUp(tensor.bytes, tensor) * (GGML_GROWTH[tensor.dtype] ?? 1)
    : tensor.bytes * FLOAT32_GROWTH[tensor.dtype];
}

/** In float16 if packed, but for those in float32. */
function headBytes(tensor: TensorEntry, config: JsonObject, { layout, quantize }: Loading): number {
  const [, module = '', part] = LATENT_HEADS.exec(tensor.name) ?? [];
  if (part !== 'weight') return 0;
  const bits = tensor.dtype === 'U32' ? (bitsOf(module, config) ?? 32) : 32;
  const count = ((elementCount(tensor.shape) ?? 0) * 32) / bits;
  const quantizes = quantize !== undefined && isQuantizable(tensor, config, quantize);
  const narrow = layout === 'packed' && (tensor.dtype !== 'F32' || quantizes);
  return count * (narrow ? 2 : 4);
}

/** Packed are the matrices of linear layers, but no tables. */
function encoderBytes({ name, dtype, shape, bytes }: TensorEntry, { layout }: Loading): number {
  if (layout === 'stored') return bytes;
  const float32 = bytes * FLOAT32_GROWTH[dtype];
  const table = shape.length !== 2 || /embeddings\./.test(name);
  return layout === 'float32' || table ? float32 : float32 / 2;
}

/** Matrices of linear layers, the embedding and experts. */
function isPacked({ name, dtype, shape }: TensorEntry, config: JsonObject): boolean {
  const float = dtype === 'F16' || dtype === 'BF16';
  if (isExpert(name) && float && !/\.(scales|biases)$/.test(name)) return isPackedExpert(name, shape, config);
  if (ROUTER.test(name) || (shape.length !== 2 && !isExpert(name))) return false;
  const [, module, part] = /^(.*)\.(weight|scales|biases)$/.exec(name) ?? [];
  if (module === undefined) return false;
  if (dtype === 'U32' || part !== 'weight') return PACKED_BITS.has(bitsOf(module, config));
  if (float) return (shape[1] as number) % 2 === 0;
  return dtype in GGML_GROWTH;
}

/** A float matrix of one expert or of all: gate and up together, and down, must be whole blocks of rows. */
function isPackedExpert(name: string, shape: readonly number[], config: JsonObject): boolean {
  // nemotron_h has no gate.
  const rows = config.model_type === 'nemotron_h' ? BLOCK_ROWS : BLOCK_ROWS / 2;
  return shape.length >= 2 && !/bias$/.test(name) && shape.slice(-2).every(size => size % rows === 0);
}

function filledUp(bytes: number, { shape, name }: TensorEntry): number {
  if (isExpert(name)) return bytes;
  const rows = shape[0] as number;
  return (bytes / rows) * Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS;
}

function quantizedBytes(tensor: TensorEntry, layout: WeightLayout, quantize: Quantization): number {
  const { shape, dtype } = tensor;
  const count = elementCount(shape) ?? 0;
  const affine = quantize.mode === 'affine';
  const packed = layout === 'packed' && (affine ? PACKED_BITS.has(quantize.bits) : quantize.bits === 4);
  // Scales and biases are of the matrix's own type, or float32.
  const small = dtype !== 'F32' && (layout === 'stored' || packed);
  const groupBytes = affine ? 2 * (small ? 2 : 4) : 1;
  const bytes = (count * quantize.bits) / 8 + (count / quantize.groupSize) * groupBytes;
  return packed ? filledUp(bytes, tensor) : bytes;
}

/** The engine quantizes every float matrix whose rows are whole groups, except routers. */
function isQuantizable(
  { name, dtype, shape }: TensorEntry,
  config: JsonObject,
  { groupSize }: Quantization,
): boolean {
  const float = dtype === 'F32' || dtype === 'F16' || dtype === 'BF16';
  // gpt-oss stores its dense experts as [experts, in, out].
  const transposed = config.model_type === 'gpt_oss' && shape.length === 3;
  const rowLength = shape.at(transposed ? -2 : -1) ?? 0;
  const matrix = shape.length >= 2 && !/bias$|router|_coefs|\.(gate|shared_expert_gate)\.weight$/.test(name);
  return float && matrix && rowLength % groupSize === 0;
}

const FLOAT32_GROWTH: Readonly<Record<StoredDtype, number>> = {
  F32: 1,
  F16: 2,
  BF16: 2,
  U32: 1,
  U8: 1,
  I32: 1,
  I64: 1,
  // Groups of 32 get a float32 scale and bias.
  Q4_0: 24 / 18,
  Q4_1: 24 / 20,
  Q5_0: 40 / 22,
  Q5_1: 40 / 24,
  Q8_0: 40 / 34,
  Q2_K: 320 / 84,
  Q3_K: 320 / 110,
  Q4_K: 192 / 144,
  Q5_K: 320 / 176,
  Q6_K: 320 / 210,
  IQ4_NL: 40 / 18,
  IQ4_XS: 320 / 136,
  TQ1_0: 192 / 54,
  TQ2_0: 192 / 66,
  MXFP4: 1,
};

/** Packed, these take so many times the bytes that they have in the file. */
const GGML_GROWTH: Readonly<Partial<Record<StoredDtype, number>>> = {
  Q4_0: 1,
  Q4_1: 1,
  Q5_0: 1,
  Q5_1: 1,
  Q8_0: 1,
  Q4_K: 1,
  Q5_K: 1,
  Q6_K: 1,
  MXFP4: 1,
  // Held with more bits: 8 for 32 weights with a scale and a bias, Q6_K's, 8 and 4 with a scale.
  Q2_K: 288 / 84,
  Q3_K: 210 / 110,
  IQ4_NL: 34 / 18,
  IQ4_XS: 272 / 136,
  TQ1_0: 144 / 54,
  TQ2_0: 144 / 66,
};
