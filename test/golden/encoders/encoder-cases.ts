import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TextReader } from '../../../src/embed/text-reader.ts';
import { loadEncoder } from '../../../src/engine/encoder.ts';
import { specialFrame } from '../../../src/tokens/special-frame.ts';
import { readNamed } from '../../model/read-named.ts';

/** A text or a pair, its tokens, and the vector that transformers gives it in float32. */
interface GoldenText {
  readonly given: string | readonly [string, string];
  readonly ids: readonly number[];
  readonly types: readonly number[];
  readonly vector: readonly number[];
}

const goldens = (name: string) => JSON.parse(readFileSync(`test/golden/encoders/${name}.json`, 'utf8'));
const GOLDENS: Record<string, GoldenText[]> = { ...goldens('encoders'), ...goldens('embedders') };

/** The greatest difference of a number, and the smallest cosine. */
function compared(found: Float32Array, cases: readonly GoldenText[]) {
  const width = cases[0]?.vector.length ?? 0;
  let difference = 0;
  let cosine = 1;
  for (const [index, { vector }] of cases.entries()) {
    const own = found.slice(index * width, (index + 1) * width);
    const product = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from(a).reduce((sum, x, i) => sum + x * (b[i] as number), 0);
    difference = Math.max(difference, ...vector.map((x, i) => Math.abs(x - (own[i] as number))));
    cosine = Math.min(cosine, product(own, vector) / Math.sqrt(product(own, own) * product(vector, vector)));
  }
  return { difference, cosine };
}

async function encodeGolden(name: string, exact: boolean) {
  const options = { cwd: process.cwd(), env: process.env, contextLength: 0, exact };
  const read = readNamed(`test/fixtures/encoders/${name}`, options);
  const { encoder, tokenizer } = await loadEncoder(read, {});
  const reader = new TextReader(tokenizer, specialFrame(read.tokenizer ?? {}), encoder.info.contextLength);
  const cases = GOLDENS[name] ?? [];
  const texts = cases.map(({ given }) =>
    typeof given === 'string' ? reader.read(given) : reader.readPair(...given),
  );
  try {
    const vectors = await encoder.encode(texts);
    const alone: number[] = [];
    for (const text of texts) alone.push(...(await encoder.encode([text])));
    return { cases, texts, vectors, alone: Float32Array.from(alone) };
  } finally {
    await encoder.close();
  }
}

export interface Rounded {
  /** Of a vector with the reference's, where weights or activations are rounded. */
  readonly leastCosine: number;
  /** Whether a text has the same vector alone, to the bit, as among others. */
  readonly sameAlone: boolean;
}

/** Every variant, by what this process's device policy runs. */
export function describeEncoders({ leastCosine, sameAlone }: Rounded): void {
  describe.each(Object.keys(GOLDENS))('%s', name => {
    it('tokens and vectors are those of the reference', async () => {
      const { cases, texts, vectors, alone } = await encodeGolden(name, true);
      expect(texts).toEqual(cases.map(({ ids, types }) => ({ ids, types })));
      expect(compared(vectors, cases).difference).toBeLessThan(2e-5);
      expect(compared(alone, cases).difference).toBeLessThan(2e-5);
    });

    it('rounded weights and activations turn them by little', async () => {
      const { cases, vectors, alone } = await encodeGolden(name, false);
      const { cosine, difference } = compared(vectors, cases);
      expect(cosine).toBeGreaterThan(leastCosine);
      expect(difference).toBeLessThan(0.1);
      if (sameAlone) expect(alone).toEqual(vectors);
    });
  });
}
