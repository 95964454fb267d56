import { describe, expect, test } from 'vitest';
import { generate, greatestDifference, loadNative } from '../native-run.ts';
import { tinyGoldens, tinyModels } from './tiny-cases.ts';

describe('tiny models equal mlx-lm in float32', () => {
  test.each(tinyGoldens)('$model, adapter $adapter', async ({ model, adapter, cases }) => {
    const native = await loadNative(tinyModels + model, adapter && tinyModels + adapter);
    try {
      for (const golden of cases) {
        // The prompt in one piece (0: a step holds more than these), in threes, token by token.
        for (const chunk of [0, 3, 1]) {
          const tokens = await generate(native, golden.prompt, golden.ids.length, chunk);
          expect(tokens.map(t => t.id)).toEqual(golden.ids);
          expect(greatestDifference(tokens, golden)).toBeLessThan(1e-3);
        }
      }
    } finally {
      await native.close();
    }
  });
});
