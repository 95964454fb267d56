import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { expectText, greedyTexts, loadBf16Demo } from './bf16-greedy.ts';

// Activations in bfloat16. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';

/** The others, and all of each: test/long/smollm2-bf16.test.ts. */
const TEXTS = ['Water boils at', 'SELECT name, age FROM users WHERE'];
const TOKENS = 24;

describe("greedy texts of the demo's base weights in bfloat16 equal mlx-lm's", () => {
  let model: NativeModel;
  beforeAll(async () => {
    model = await loadBf16Demo();
  });
  afterAll(() => model?.close());

  test('20 texts of 64 tokens are there', () => {
    expect(greedyTexts.map(({ ids, gaps }) => [ids.length, gaps.length])).toEqual(Array(20).fill([64, 64]));
  });

  test.each(greedyTexts.filter(({ text }) => TEXTS.includes(text)))(
    '$text',
    async golden => {
      expect(await expectText(model, golden, TOKENS)).toBe(0);
    },
    120_000,
  );
});
