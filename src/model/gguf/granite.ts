import type { JsonObject } from '../../text/files/json-file.ts';
import type { GgufFacts } from './facts.ts';

/** Granite's multipliers, in every kind of it. */
export function graniteKeys({ number }: GgufFacts): JsonObject {
  return {
    embedding_multiplier: number('embedding_scale', 1),
    attention_multiplier: number('attention.scale'),
    residual_multiplier: number('residual_scale', 1),
    logits_scaling: number('logit_scale', 1),
  };
}
