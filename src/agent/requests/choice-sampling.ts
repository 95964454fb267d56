import type { Sampling } from '../../text/sampling/fields.ts';

const SEEDS = 2 ** 32;

/** For one of several replies to the same request: with a seed, the next one for each. */
export function choiceSampling(sampling: Sampling, choice = 0): Sampling {
  const { seed } = sampling;
  return seed === undefined || choice === 0 ? sampling : { ...sampling, seed: (seed + choice) % SEEDS };
}
