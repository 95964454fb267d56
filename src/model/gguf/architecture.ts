import type { JsonObject } from '../../text/files/json-file.ts';
import type { GgufFacts } from './facts.ts';
import type { NameTable } from './names.ts';

/** One of llama.cpp's architectures. */
export interface Architecture {
  /** Of modules. */
  readonly names: NameTable;
  /** The rows of q and k interleave the halves of each rotary head. */
  readonly permuted?: boolean;
  /** Added to norm weights: -1 if files hold 1 + w. */
  readonly normShift?: number;
  /** LayerNorm instead of RMSNorm. */
  readonly layerNorms?: boolean;
  /** Rotates the first channels of each head only. */
  readonly rotatesPart?: boolean;
  /** Keys of config.json beyond llama's, with model_type where that has another name. `path`: for messages. */
  keys?(facts: GgufFacts, path: string): JsonObject;
}
