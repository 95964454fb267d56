import type { JsonObject } from '../../text/files/json-file.ts';

// The values of every Llama 3.1, 3.2 and 3.3 checkpoint; a GGUF file only holds the factors computed from them.
const LOW = 1;
const HIGH = 4;
const ORIGINAL_CONTEXT = 8192;

/**
 * The `rope_scaling` of config.json from which llama.cpp computed `factors` [head_dim / 2] (its `rope_freqs.weight`);
 * undefined if they match no known scaling.
 */
export function llama3Scaling(factors: readonly number[], theta: number): JsonObject | undefined {
  const factor = factors.at(-1) ?? 0;
  if (!(factor >= 1)) return undefined;
  const same = factors.every((value, i) => {
    const expected = llama3Factor(2 * Math.PI * theta ** (i / factors.length), factor);
    return Math.abs(value - expected) <= 1e-3 * expected;
  });
  if (!same) return undefined;
  return {
    rope_type: 'llama3',
    factor,
    low_freq_factor: LOW,
    high_freq_factor: HIGH,
    original_max_position_embeddings: ORIGINAL_CONTEXT,
  };
}

function llama3Factor(wavelength: number, factor: number): number {
  if (wavelength < ORIGINAL_CONTEXT / HIGH) return 1;
  if (wavelength > ORIGINAL_CONTEXT / LOW) return factor;
  const smooth = (ORIGINAL_CONTEXT / wavelength - LOW) / (HIGH - LOW);
  return 1 / ((1 - smooth) / factor + smooth);
}
