import type { JsonObject } from '../../text/files/json-file.ts';
import type { GgufFacts } from './facts.ts';
import type { NameTable } from './names.ts';

/** One of llama.cpp's architectures. */
export interface Architecture {
  /** Names of modules. */
  readonly names: NameTable;
  /** Names of tensors that are no module's weight or bias, or are named differently from it. */
  readonly tensors?: NameTable;
  /** By llama.cpp's names with `%` for the layer: shapes that the engine has otherwise, of the same elements. */
  readonly shapes?: Readonly<Record<string, (shape: readonly number[]) => readonly number[]>>;
  /** The rows of q and k interleave the halves of each rotary head. */
  readonly permuted?: boolean;
  /** Added to norm weights: -1 if files hold 1 + w. */
  readonly normShift?: number;
  /** LayerNorm instead of RMSNorm. */
  readonly layerNorms?: boolean;
  /** Rotates the first channels of each head only. */
  readonly rotatesPart?: boolean;
  /** Has no positions; what a file says of its rotation means nothing. Default: false. */
  readonly withoutPositions?: boolean;
  /** YaRN parameters that GGUF does not store. */
  readonly yarn?: JsonObject;
  /** Has mixtures of experts. */
  readonly experts?: boolean;
  /**
   * Keys of config.json beyond llama's, with model_type where that has another name. `path`: for messages; `common`: the
   * keys that all architectures have.
   */
  keys?(facts: GgufFacts, path: string, common: JsonObject): JsonObject;
}
