import type { GoldenCase } from '../native-run.ts';

/** A case as scripts/goldens/greedy.py packs it: every step of it, in base64. */
export interface PackedCase {
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  readonly top: {
    /** A byte for each of a step's best ids. */
    readonly ids: string;
    /** How far each log-probability is below the one before it, in units of 1e-4; seven bits a byte. */
    readonly drops: string;
  };
}

const UNIT = 1e-4;

export function unpackCase({ prompt, ids, top }: PackedCase): GoldenCase {
  const best = Buffer.from(top.ids, 'base64');
  const drops = numbersOf(Buffer.from(top.drops, 'base64'));
  const count = best.length / ids.length;
  if (drops.length !== best.length || !Number.isInteger(count)) throw new Error('a broken golden');
  const steps = ids.map((_, step) => {
    let below = 0;
    const logprobs = drops.slice(step * count, (step + 1) * count).map(drop => {
      below += drop;
      return -below * UNIT;
    });
    return { ids: [...best.subarray(step * count, (step + 1) * count)], logprobs };
  });
  return { prompt, ids, steps };
}

/** Seven bits a byte, the lowest first, the eighth set where more follow. */
function numbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte & 128) continue;
    numbers.push(value);
    value = 0;
    scale = 1;
  }
  return numbers;
}
