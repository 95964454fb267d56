import { describe, test } from 'vitest';
import { familyNames, variantsOf, withModel } from '../golden/decoders/family-cases.ts';
import { expectSameTogether } from '../golden/same-text/together.ts';

const PARALLEL = [2, 3, 4, 8, 16];

/** With LLM_HOST_DEVICE_POLICY=gpu in float32 alone: MLX's experts on the CPU take nothing else. */
const EXACT = process.env.LLM_HOST_DEVICE_POLICY === 'gpu' ? [true] : [false, true];

describe('200 random requests in batches of 2 to 16 get the tokens that each gets alone', () => {
  test.each(familyNames())('%s', async family => {
    for (const variant of variantsOf(family)) {
      await withModel(family, variant, async source => {
        const count = 200 / PARALLEL.length / EXACT.length;
        for (const parallel of PARALLEL) {
          for (const exact of EXACT) await expectSameTogether(source, { exact, count, parallel });
        }
      });
    }
  });
});
