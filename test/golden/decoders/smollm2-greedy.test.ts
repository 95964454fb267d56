import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoWeightsPath } from '../../../src/model/demo-model.ts';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { type GoldenCase, generate, greatestDifference, loadNative } from '../native-run.ts';

const cases: (GoldenCase & { text: string })[] = JSON.parse(
  readFileSync(new URL('smollm2-greedy.json', import.meta.url), 'utf8'),
);

describe("the demo's base weights equal mlx-lm in float32", () => {
  let model: NativeModel;
  beforeAll(async () => {
    model = await loadNative(demoWeightsPath(process.env));
  });
  afterAll(() => model?.close());

  test('10 prompts are there', () => expect(cases).toHaveLength(10));

  test.each(cases)(
    '$text',
    async golden => {
      const tokens = await generate(model, golden.prompt, golden.ids.length);
      expect(tokens.map(t => t.id)).toEqual(golden.ids);
      expect(greatestDifference(tokens, golden)).toBeLessThan(1e-3);
    },
    120_000,
  );
});
