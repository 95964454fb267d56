import { type GgufHeader, type GgufMetadata, readGgufHeader } from './gguf.ts';
import { GGUF_NAMES, huggingFaceName } from './gguf-names.ts';
import { llama3Scaling } from './gguf-rope.ts';
import type { JsonObject } from './json-file.ts';
import { broken, unsupported, withModelFile } from './model-file.ts';
import type { FileTensor } from './tensor-ranges.ts';

export interface GgufModel {
  /** In the shape of Hugging Face's config.json. */
  readonly config: JsonObject;
  /** With Hugging Face's names. */
  readonly tensors: readonly FileTensor[];
  readonly metadata: GgufMetadata;
}

/** Reads the header of a GGUF file and says it in Hugging Face's words; reads no weights. */
export function readGgufModel(path: string): GgufModel {
  const header = readGgufHeader(path);
  const architecture = header.metadata.get('general.architecture');
  const table = GGUF_NAMES.get(String(architecture));
  if (!table) {
    const supported = [...GGUF_NAMES.keys()].join(', ');
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
      const name = huggingFaceName(table, tensor.name);
      if (name !== undefined) return { ...tensor, name };
      throw unsupported(
        path,
        `has tensor ${tensor.name}, which architecture '${architecture}' does not use here`,
      );
    });
  return { config: llamaConfig(path, header, tensors), tensors, metadata: header.metadata };
}

/** Frequency factors of Llama 3.1's scaled rope. */
const ROPE_FACTORS = 'rope_freqs.weight';

function llamaConfig(path: string, header: GgufHeader, tensors: readonly FileTensor[]): JsonObject {
  const { metadata } = header;
  const number = (key: string, missing?: number) => numberOf(path, metadata, key, missing);
  const names = new Set(tensors.map(t => t.name));
  const hidden = number('llama.embedding_length');
  const heads = number('llama.attention.head_count');
  const headDim = number('llama.attention.key_length', hidden / heads);
  if (number('llama.expert_count', 0) > 0)
    throw unsupported(path, 'is a mixture of experts, which is not supported');
  if (number('llama.rope.dimension_count', headDim) !== headDim) {
    throw unsupported(path, 'rotates only a part of each head, which is not supported');
  }
  const theta = number('llama.rope.freq_base', 10000);
  return {
    model_type: 'llama',
    hidden_size: hidden,
    num_hidden_layers: number('llama.block_count'),
    intermediate_size: number('llama.feed_forward_length'),
    num_attention_heads: heads,
    num_key_value_heads: number('llama.attention.head_count_kv', heads),
    head_dim: headDim,
    rms_norm_eps: number('llama.attention.layer_norm_rms_epsilon'),
    rope_theta: theta,
    rope_scaling: ropeScaling(path, header, theta, headDim),
    max_position_embeddings: number('llama.context_length'),
    vocab_size: vocabularySize(path, header),
    tie_word_embeddings: !names.has('lm_head.weight'),
    attention_bias: names.has('model.layers.0.self_attn.q_proj.bias'),
    mlp_bias: names.has('model.layers.0.mlp.gate_proj.bias'),
    eos_token_id: metadata.get('tokenizer.ggml.eos_token_id') ?? null,
    bos_token_id: metadata.get('tokenizer.ggml.bos_token_id') ?? null,
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

function ropeScaling(path: string, header: GgufHeader, theta: number, headDim: number): JsonObject | null {
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
  const type = metadata.get('llama.rope.scaling.type') ?? 'none';
  if (type === 'none') return null;
  const factor = numberOf(path, metadata, 'llama.rope.scaling.factor');
  if (type === 'linear') return { rope_type: 'linear', factor };
  throw unsupported(path, `scales its rope by '${type}', which is not supported; supported: linear, llama3`);
}
