// Random bytes and 16-bit floats, the same in each run.

/** Marsaglia's xorshift: unsigned 32-bit numbers. */
export function xorshift(seed) {
  let state = seed >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const NOISE_WORDS = 1 << 20;
const noise = (() => {
  const next = xorshift(20260401);
  return Buffer.from(Uint32Array.from({ length: NOISE_WORDS }, next).buffer);
})();

/** Fills `bytes` with noise that begins at another place for each `seed`. */
export function fillWithNoise(bytes, seed) {
  let from = (seed * 40503 * 4) % noise.length;
  for (let done = 0; done < bytes.length; from = 0) {
    done += noise.copy(bytes, done, from, Math.min(noise.length, from + bytes.length - done));
  }
}

/** Makes of noise floats of `itemBytes` (4, or 2 for bfloat16) of either sign, from 2^-6 to 2^-5. */
export function fillWithFloats(bytes, itemBytes) {
  for (let upper = itemBytes - 2; upper < bytes.length; upper += itemBytes) {
    bytes.writeUInt16LE((bytes.readUInt16LE(upper) & 0x807f) | 0x3c80, upper);
  }
}

/** The nearest float16 of a positive number. */
export function float16(value) {
  if (value < 2 ** -14) return Math.round(value * 2 ** 24);
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0];
  return (bits - 0x38000000 + 0x1000) >>> 13;
}

/** The nearest bfloat16. */
export function bfloat16(value) {
  return (new Uint32Array(Float32Array.of(value).buffer)[0] + 0x8000) >>> 16;
}
