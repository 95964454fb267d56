import type { TensorEntry, WeightFiles } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { bytesPerDecodedToken, type Loading, loadedBytes } from '../weights/loaded-bytes.ts';
import { isDivided } from './part-of-model.ts';

/** Bytes of tensors in memory, and of those that a token reads. */
export interface Bytes {
  readonly held: number;
  readonly read: number;
}

/** A model as far as its division over machines goes. */
export interface ModelParts {
  /** Bytes of each layer: the part that tensor parallelism divides, and the part that every machine then has whole. */
  readonly layers: readonly { readonly divided: Bytes; readonly whole: Bytes }[];
  /** Embedding, last norm and head. */
  readonly ends: Bytes;
  /** Their part on the machine with the first layers. */
  readonly embeddingBytes: number;
  /** Bytes of all keys and values for the context. */
  readonly kvBytes: number;
  /**
   * Working memory of the first machine, or of another one, besides weights and caches, where `machines` divide each
   * layer.
   */
  readonly workingBytes: (machines: number, first: boolean) => number;
  /** Bytes of a token's activations between two layers. */
  readonly activationBytes: number;
}

const LAYER = /\.layers\.(\d+)\./;
const EMBEDDING = /embed_tokens|embeddings\./;

export function modelParts(
  { config, weights }: { readonly config: JsonObject; readonly weights: WeightFiles },
  loading: Loading,
  { kvBytes, workingBytes }: Pick<ModelParts, 'kvBytes' | 'workingBytes'>,
): ModelParts {
  const bytesOf = (tensors: readonly TensorEntry[]): Bytes => {
    const part = { files: weights.files, tensors };
    return { held: loadedBytes(part, config, loading), read: bytesPerDecodedToken(part, config, loading) };
  };
  const layers = new Map<number, TensorEntry[]>();
  const ends: TensorEntry[] = [];
  for (const tensor of weights.tensors) {
    const index = LAYER.exec(tensor.name)?.[1];
    if (index === undefined) {
      ends.push(tensor);
      continue;
    }
    const layer = layers.get(Number(index)) ?? [];
    layers.set(Number(index), layer);
    layer.push(tensor);
  }
  return {
    layers: [...layers.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, tensors]) => ({
        divided: bytesOf(tensors.filter(({ name }) => isDivided(name))),
        whole: bytesOf(tensors.filter(({ name }) => !isDivided(name))),
      })),
    ends: bytesOf(ends),
    embeddingBytes: bytesOf(ends.filter(({ name }) => EMBEDDING.test(name))).held,
    kvBytes,
    workingBytes,
    activationBytes: Number(config.hidden_size ?? 0) * (loading.layout === 'stored' ? 2 : 4),
  };
}
