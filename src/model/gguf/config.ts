import type { JsonObject } from '../../text/files/json-file.ts';
import { broken, unsupported } from '../../text/files/model-fault.ts';
import { withModelFile } from '../weights/model-file.ts';
import type { FileTensor } from '../weights/tensor-ranges.ts';
import { ARCHITECTURES, type Architecture } from './architectures.ts';
import { type GgufHeader, type GgufMetadata, readGgufHeader } from './gguf.ts';
import { huggingFaceName } from './names.ts';
import { llama3Scaling } from './rope.ts';

export interface GgufModel {
  /** In the form of Hugging Face's config.json. */
  readonly config: JsonObject;
  /** With Hugging Face's tensor names. */
  readonly tensors: readonly FileTensor[];
  readonly metadata: GgufMetadata;
  /** The rows of q and k interleave the halves of each rotary head, as llama.cpp stores them for some architectures. */
  readonly permuted: boolean;
  /** Added to norm weights: -1 if the file holds 1 + w. */
  readonly normShift: number;
}

/** Reads the header of a GGUF file and translates it to Hugging Face's names; reads no weights. */
export function readGgufModel(path: string): GgufModel {
  const header = readGgufHeader(path);
  const architecture = header.metadata.get('general.architecture');
  const known = ARCHITECTURES.get(String(architecture));
  if (!known) {
    const supported = [...ARCHITECTURES.keys()].join(', ');
    throw unsupported(
      path,
      `cannot be used: GGUF architecture '${architecture}' is not supported; supported: ${supported}`,
    );
  }
  if (header.metadata.has('split.count') && Number(header.metadata.get('split.count')) > 1) {
    throw unsupported(path, 'is one part of a split model; join the parts first');
  }
  const tensors = header.tensors
    .filter(t => t.name !== ROPE_FACTORS)
    .map(tensor => {
      const name = huggingFaceName(known.names, tensor.name);
      if (name !== undefined) return { ...tensor, name };
      throw unsupported(
        path,
        `has tensor ${tensor.name}, which architecture '${architecture}' does not use here`,
      );
    });
  return {
    config: configOf(path, String(architecture), known, header, tensors),
    tensors,
    metadata: header.metadata,
    permuted: known.permuted ?? false,
    normShift: known.normShift ?? 0,
  };
}

/** Frequency factors of Llama 3.1's scaled rope. */
const ROPE_FACTORS = 'rope_freqs.weight';

function configOf(
  path: string,
  architecture: string,
  known: Architecture,
  header: GgufHeader,
  tensors: readonly FileTensor[],
): JsonObject {
  const { metadata } = header;
  const number = (key: string, missing?: number) =>
    numberOf(path, metadata, `${architecture}.${key}`, missing);
  const names = new Set(tensors.map(t => t.name));
  const hidden = number('embedding_length');
  const heads = number('attention.head_count');
  const headDim = number('attention.key_length', hidden / heads);
  if (number('expert_count', 0) > 0)
    throw unsupported(path, 'is a mixture of experts, which is not supported');
  const rotated = number('rope.dimension_count', headDim);
  if (rotated !== headDim && !known.rotatesPart) {
    throw unsupported(path, 'rotates only a part of each head, which is not supported');
  }
  const theta = number('rope.freq_base', 10000);
  return {
    model_type: architecture,
    hidden_size: hidden,
    num_hidden_layers: number('block_count'),
    intermediate_size: number('feed_forward_length'),
    num_attention_heads: heads,
    num_key_value_heads: number('attention.head_count_kv', heads),
    head_dim: headDim,
    ...(known.layerNorms
      ? { layer_norm_eps: number('attention.layer_norm_epsilon') }
      : { rms_norm_eps: number('attention.layer_norm_rms_epsilon') }),
    rope_theta: theta,
    ...(known.rotatesPart && { partial_rotary_factor: rotated / headDim }),
    rope_scaling: ropeScaling(path, architecture, header, theta, headDim),
    max_position_embeddings: number('context_length'),
    vocab_size: vocabularySize(path, header),
    tie_word_embeddings: !names.has('lm_head.weight'),
    attention_bias: names.has('model.layers.0.self_attn.q_proj.bias'),
    mlp_bias: names.has('model.layers.0.mlp.gate_proj.bias'),
    eos_token_id: metadata.get('tokenizer.ggml.eos_token_id') ?? null,
    bos_token_id: metadata.get('tokenizer.ggml.bos_token_id') ?? null,
    ...known.keys?.({
      number,
      has: key => metadata.has(`${architecture}.${key}`),
      hasTensor: name => names.has(name),
      hidden,
      heads,
      headDim,
    }),
  };
}

function numberOf(path: string, metadata: GgufMetadata, key: string, missing?: number): number {
  const value = metadata.get(key) ?? missing;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw broken(path, `is broken: metadata ${key} is ${value === undefined ? 'missing' : 'not a number'}`);
}

function vocabularySize(path: string, { tensors }: GgufHeader): number {
  const size = tensors.find(t => t.name === 'token_embd.weight')?.shape[0];
  if (size === undefined) throw broken(path, 'is broken: tensor token_embd.weight is missing');
  return size;
}

function ropeScaling(
  path: string,
  architecture: string,
  header: GgufHeader,
  theta: number,
  headDim: number,
): JsonObject | null {
  const { metadata } = header;
  const factors = header.tensors.find(t => t.name === ROPE_FACTORS);
  if (factors) {
    if (factors.dtype !== 'F32' || factors.bytes !== headDim * 2) {
      throw broken(path, `is broken: tensor ${ROPE_FACTORS} must hold ${headDim / 2} F32 values`);
    }
    const bytes = withModelFile(path, file => file.read(factors.offset, factors.bytes));
    const values = Array.from({ length: headDim / 2 }, (_, i) => bytes.readFloatLE(4 * i));
    const scaling = llama3Scaling(values, theta);
    if (scaling) return scaling;
    throw unsupported(path, `scales its rope in a way that is not supported (tensor ${ROPE_FACTORS})`);
  }
  const key = (end: string) => `${architecture}.rope.scaling.${end}`;
  const type = metadata.get(key('type')) ?? 'none';
  if (type === 'none') return null;
  const factor = numberOf(path, metadata, key('factor'));
  if (type === 'linear') return { rope_type: 'linear', factor };
  if (type === 'yarn') {
    const original = numberOf(path, metadata, key('original_context_length'));
    return { rope_type: 'yarn', factor, original_max_position_embeddings: original };
  }
  throw unsupported(
    path,
    `scales its rope by '${type}', which is not supported; supported: linear, yarn, llama3`,
  );
}
