import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchMinilm } from '../../scripts/lib/minilm.mjs';
import { loadModel, type Model } from '../../src/index.ts';

// A real model beside its own library: scripts/goldens/minilm.py.

interface Golden {
  readonly ids: readonly (readonly number[])[];
  /** float16, the lowest byte first, in base64: [100, 384] */
  readonly vectors: string;
  readonly pairs: readonly (readonly [number, number, number])[];
}

const SENTENCES: readonly string[] = JSON.parse(readFileSync('test/fixtures/sentences.json', 'utf8'));
const GOLDEN: Golden = JSON.parse(readFileSync('test/golden/encoders/minilm.json', 'utf8'));
const WIDTH = 384;

function float16(bits: number): number {
  const fraction = bits & 0x3ff;
  const exponent = (bits >> 10) & 31;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits >> 15 ? -size : size;
}

const bytes = Buffer.from(GOLDEN.vectors, 'base64');
const expected = SENTENCES.map((_, row) =>
  Float32Array.from({ length: WIDTH }, (_, i) => float16(bytes.readUInt16LE(2 * (row * WIDTH + i)))),
);
const product = (a: Float32Array = expected[0] as Float32Array, b: Float32Array = a) =>
  a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

/** Places of values in ascending order. */
const order = (values: readonly number[]) =>
  values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number));

let folder = '';
beforeAll(async () => {
  folder = await fetchMinilm();
});

describe.each([
  ['float32', '1', 1e-6, 1e-5],
  ['rounded, as by default', '0', 1e-4, 0.005],
])('all-MiniLM-L6-v2, %s', (_, exact, tolerance, scoreTolerance) => {
  let model: Model;
  let vectors: readonly Float32Array[];

  beforeAll(async () => {
    model = await loadModel(folder, { env: { ...process.env, LLM_HOST_EXACT: exact } });
    vectors = await model.embed(SENTENCES);
  });
  afterAll(() => model.close());

  it('the tokens of 100 sentences', () => {
    const ids = SENTENCES.map(sentence => [101, ...model.tokenize(sentence), 102]);
    expect(ids).toEqual(GOLDEN.ids);
  });

  it('their vectors', () => {
    const cosines = vectors.map(
      (vector, i) => product(vector, expected[i]) / Math.sqrt(product(expected[i])),
    );
    console.log(`smallest cosine: 1 - ${(1 - Math.min(...cosines)).toExponential(1)}`);
    expect(1 - Math.min(...cosines)).toBeLessThan(tolerance);
  });

  it('the order of 200 pairs', () => {
    const own = GOLDEN.pairs.map(([a, b]) => product(vectors[a], vectors[b]));
    const reference = GOLDEN.pairs.map(([, , score]) => score);
    const difference = Math.max(...own.map((score, i) => Math.abs(score - (reference[i] as number))));
    const [ours, theirs] = [order(own), order(reference)];
    const swapped = ours.filter((pair, place) => pair !== theirs[place]).length;
    console.log(
      `greatest difference of a score: ${difference.toExponential(1)}; pairs in another place: ${swapped}`,
    );
    expect(difference).toBeLessThan(scoreTolerance);
    // Rounding may swap pairs whose scores are nearly the same.
    if (exact === '1') expect(ours).toEqual(theirs);
  });

  it('a text has one vector, whatever is embedded beside it', async () => {
    const [alone] = await model.embed([SENTENCES[42] as string]);
    expect(alone).toEqual(vectors[42]);
  });
});
