import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type GoldenCase, generate, greatestDifference, loadNative } from '../native-run.ts';

interface Golden {
  readonly model: string;
  readonly cases: readonly GoldenCase[];
}

const models = fileURLToPath(new URL('../../fixtures/quantized/', import.meta.url));
const goldens: readonly Golden[] = JSON.parse(
  readFileSync(new URL('quantized.json', import.meta.url), 'utf8'),
);

/** Every form of quantized weights, for one of the ways in which products are computed. */
export function describeQuantized(): void {
  describe('quantized weights give the logits of mlx-lm in float32', () => {
    test.each(goldens)('$model', async ({ model, cases }) => {
      const native = await loadNative(models + model);
      try {
        for (const golden of cases) {
          const tokens = await generate(native, golden.prompt, golden.ids.length);
          expect(tokens.map(t => t.id)).toEqual(golden.ids);
          expect(greatestDifference(tokens, golden)).toBeLessThan(1e-3);
        }
      } finally {
        await native.close();
      }
    });
  });
}
