import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type GoldenCase, generate, greatestDifference, loadNative } from './native-run.ts';

interface Golden {
  readonly model: string;
  readonly adapter?: string;
  readonly cases: readonly GoldenCase[];
}

const models = fileURLToPath(new URL('../fixtures/models/', import.meta.url));
const goldens: Golden[] = JSON.parse(readFileSync(new URL('tiny.json', import.meta.url), 'utf8'));

describe('tiny models equal mlx-lm in float32', () => {
  test.each(goldens)('$model, adapter $adapter', async ({ model, adapter, cases }) => {
    const native = await loadNative(models + model, adapter && models + adapter);
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
