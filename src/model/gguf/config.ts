import type { TensorEntry } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { broken, unsupported } from '../../text/files/model-fault.ts';
import type { Architecture } from './architecture.ts';
import { ARCHITECTURES } from './architectures.ts';
import { factsOf, type GgufFacts } from './facts.ts';
import type { GgufMetadata } from './gguf.ts';
import { huggingFaceName, layerOf, tableKey } from './names.ts';
import { type GgufParts, readGgufParts } from './parts.ts';
import { LONG_FACTORS, ROPE_FACTORS, ropeScaling, SHORT_FACTORS } from './rope.ts';

export interface GgufModel {
  /** In the form of Hugging Face's config.json. */
  readonly config: JsonObject;
  /** All parts of the model. */
  readonly files: readonly string[];
  /** With Hugging Face's tensor names. */
  readonly tensors: readonly TensorEntry[];
  readonly metadata: GgufMetadata;
  /** The rows of q and k interleave the halves of each rotary head, as llama.cpp stores them for some architectures. */
  readonly permuted: boolean;
  /** Added to norm weights: -1 if the file holds 1 + w. */
  readonly normShift: number;
}

/** Reads the header of a GGUF file, and of the other parts of a split model, and translates it to Hugging Face's names; reads no weights. */
export function readGgufModel(path: string): GgufModel {
  const parts = readGgufParts(path);
  const architecture = parts.metadata.get('general.architecture');
  const known = ARCHITECTURES.get(String(architecture));
  if (!known) {
    const supported = [...ARCHITECTURES.keys()].join(', ');
    throw unsupported(
      path,
      `cannot be used: GGUF architecture '${architecture}' is not supported; supported: ${supported}`,
    );
  }
  const renamed = parts.tensors
    .filter(t => !NO_WEIGHTS.has(t.name))
    .map(tensor => {
      const name = huggingFaceName(known.names, tensor.name, known.tensors);
      const shape = known.shapes?.[tableKey(tensor.name)]?.(tensor.shape) ?? tensor.shape;
      if (name !== undefined) return { ...tensor, name, shape };
      throw unsupported(
        path,
        `has tensor ${tensor.name}, which architecture '${architecture}' does not use here`,
      );
    });
  const facts = factsOf(path, String(architecture), parts, renamed);
  return {
    config: configOf(path, String(architecture), known, parts, facts),
    files: parts.files,
    // Layers behind the last predict several tokens at once.
    tensors: renamed.filter(t => (layerOf(t.name) ?? 0) < facts.layers),
    metadata: parts.metadata,
    permuted: known.permuted ?? false,
    normShift: known.normShift ?? 0,
  };
}

const NO_WEIGHTS: ReadonlySet<string> = new Set([ROPE_FACTORS, LONG_FACTORS, SHORT_FACTORS]);

function configOf(
  path: string,
  architecture: string,
  known: Architecture,
  parts: GgufParts,
  facts: GgufFacts,
): JsonObject {
  const { metadata } = parts;
  const { number, greatest, hasTensor, headDim, heads } = facts;
  if (number('expert_count', 0) > 0 && !known.experts)
    throw unsupported(path, 'is a mixture of experts, which is not supported');
  const rotated = known.withoutPositions ? headDim : number('rope.dimension_count', headDim);
  if (rotated !== headDim && !known.rotatesPart) {
    throw unsupported(path, 'rotates only a part of each head, which is not supported');
  }
  const scalingType = metadata.get(`${architecture}.rope.scaling.type`);
  const scaling = ropeScaling(path, parts, facts, scalingType, rotated);
  const common: JsonObject = {
    model_type: architecture,
    hidden_size: facts.hidden,
    num_hidden_layers: facts.layers,
    intermediate_size: greatest('feed_forward_length', known.experts ? 0 : undefined),
    num_attention_heads: heads,
    num_key_value_heads: greatest('attention.head_count_kv', heads),
    head_dim: headDim,
    ...(known.layerNorms
      ? { layer_norm_eps: number('attention.layer_norm_epsilon') }
      : { rms_norm_eps: number('attention.layer_norm_rms_epsilon') }),
    rope_theta: number('rope.freq_base', 10000),
    ...(known.rotatesPart && { partial_rotary_factor: rotated / headDim }),
    rope_scaling: scaling?.rope_type === 'yarn' ? { ...scaling, ...known.yarn } : scaling,
    max_position_embeddings: number('context_length'),
    vocab_size: vocabularySize(path, parts),
    tie_word_embeddings: !hasTensor('lm_head.weight'),
    attention_bias: hasTensor('model.layers.0.self_attn.q_proj.bias'),
    mlp_bias: hasTensor('model.layers.0.mlp.gate_proj.bias'),
    eos_token_id: metadata.get('tokenizer.ggml.eos_token_id') ?? null,
    bos_token_id: metadata.get('tokenizer.ggml.bos_token_id') ?? null,
  };
  return { ...common, ...known.keys?.(facts, path, common) };
}

function vocabularySize(path: string, { tensors }: GgufParts): number {
  const size = tensors.find(t => t.name === 'token_embd.weight')?.shape[0];
  if (size === undefined) throw broken(path, 'is broken: tensor token_embd.weight is missing');
  return size;
}
