const MODULUS = 2 ** 31 - 1;
const MULTIPLIER = 48271;

/** `count` token ids below `vocabSize`, the same for the same seed (Lehmer's generator, like C++'s minstd_rand). */
export function randomIds(count: number, vocabSize: number, seed: number): number[] {
  let state = 1 + (Math.abs(Math.trunc(seed)) % (MODULUS - 1));
  return Array.from({ length: count }, () => {
    state = (state * MULTIPLIER) % MODULUS;
    return state % vocabSize;
  });
}
