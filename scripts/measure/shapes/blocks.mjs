// Random blocks of ggml's types: any bytes for the codes, and scales that make weights of some hundredths.
import { fillWithFloats, fillWithNoise, float16 } from './random.mjs';

/** Standard deviation of the weights: small enough that logits stay near 1. */
const DEVIATION = 0.02;

/** For each type its number, weights and bytes of a block, and float16 values by their byte in the block. */
export const BLOCKS = {
  F32: { type: 0, weights: 1, bytes: 4, ones: true },
  'random F32': { type: 0, weights: 1, bytes: 4 },
  Q4_0: { type: 2, weights: 32, bytes: 18, floats: { 0: DEVIATION / 4.6 } },
  Q8_0: { type: 8, weights: 32, bytes: 34, floats: { 0: DEVIATION / 74 } },
  // w = d · scale · q - dmin · minimum; scales and minima are 31 on average.
  Q4_K: { type: 12, weights: 256, bytes: 144, floats: { 0: DEVIATION / 190, 2: DEVIATION / 25 } },
  // w = d · scale · (q - 32), scales from -128 to 127.
  Q6_K: { type: 14, weights: 256, bytes: 210, floats: { 208: DEVIATION / 1370 } },
  MXFP4: { type: 39, weights: 32, bytes: 17, exponent: 120 },
};

/** `count` blocks of a type; `seed` makes them differ from others. */
export function randomBlocks(type, count, seed) {
  const { bytes, floats = {}, exponent, ones } = BLOCKS[type];
  const data = Buffer.alloc(count * bytes);
  if (ones) {
    for (let i = 0; i < count; i++) data.writeFloatLE(1, 4 * i);
    return data;
  }
  fillWithNoise(data, seed);
  if (type === 'random F32') {
    fillWithFloats(data, 4);
    return data;
  }
  const values = Object.entries(floats).map(([at, value]) => [Number(at), float16(value)]);
  for (let start = 0; start < data.length; start += bytes) {
    for (const [at, value] of values) data.writeUInt16LE(value, start + at);
    if (exponent !== undefined) data[start] = exponent + (data[start] & 1);
  }
  return data;
}
