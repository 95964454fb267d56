// Published models of kinds that share little with other decoders, at their smallest size and with their own
// vocabularies: `layers`, `cut` (those to keep by default), and of so many layers config.json and the tensors.
import { GEMMA4 } from './gemma4.mjs';
import { GLM4_MOE_LITE } from './glm4_moe_lite.mjs';
import { NEMOTRON_H } from './nemotron_h.mjs';
import { QWEN3_5 } from './qwen3_5.mjs';

export const PUBLISHED = {
  'qwen3.5-0.8b': QWEN3_5,
  'gemma-4-e2b': GEMMA4,
  'glm-4.7-flash': GLM4_MOE_LITE,
  'nemotron-3-nano-4b': NEMOTRON_H,
};
