import type { NativeRequest } from '../../../src/native/addon-types.ts';

/** A greedy request of eight tokens, but for `options`. */
export function request(promptIds: readonly number[], options: Partial<NativeRequest> = {}): NativeRequest {
  return {
    promptIds: Int32Array.from(promptIds),
    maxTokens: 8,
    temperature: 0,
    topP: 1,
    topK: 0,
    minP: 0,
    callConfidence: 0,
    logitBiasIds: new Int32Array(),
    logitBias: new Float32Array(),
    repetitionPenalty: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: 0,
    stopIds: new Int32Array(),
    logprobs: -1,
    prefillChunk: 0,
    checkpoints: new Int32Array(),
    ...options,
  };
}
