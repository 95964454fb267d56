import { describe, test } from 'vitest';
import { familyNames, variantsOf, withModel } from './family-cases.ts';
import { expectSameTogether } from './together.ts';

// MLX's experts on the CPU take float32 only.
const onGpu = process.env.LLM_HOST_DEVICE_POLICY === 'gpu';

describe('requests that run together, join and leave get the tokens that each gets alone', () => {
  test.each(familyNames())('%s', async family => {
    const [variant] = variantsOf(family);
    if (!variant) throw new Error(`${family} has no tiny model`);
    await withModel(family, variant, async source => {
      if (!onGpu) await expectSameTogether(source, false, 14, 5);
      await expectSameTogether(source, true, 6, 3);
    });
  });
});
