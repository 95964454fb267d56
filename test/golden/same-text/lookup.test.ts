import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../../src/native/load-addon.ts';
import { tinyModel } from '../../native/tiny/tiny-model.ts';
import { type Variant, withModel } from '../decoders/family-cases.ts';
import { everyFamily } from '../layer-kinds.ts';
import { sameWithLookup, sameWithLookupFrom } from './lookup-runs.ts';

// MLX's experts on the CPU take float32 only.
const onGpu = process.env.LLM_HOST_DEVICE_POLICY === 'gpu';

async function expectSame(family: string, variant: Variant, exact: boolean): Promise<void> {
  await withModel(family, variant, async source => {
    const { accepted, rejected } = await sameWithLookupFrom(source, exact);
    expect(accepted).toBeGreaterThan(5);
    expect(rejected).toBeGreaterThan(5);
  });
}

describe('a reply whose tokens are looked up is the same', () => {
  if (!onGpu) test.each(everyFamily())('%s', (_, family, variant) => expectSame(family, variant, false));
  test.each(everyFamily())('%s in exact mode', (_, family, variant) => expectSame(family, variant, true));

  test.each([4, 8] as const)('with keys and values in %d bits', async kvBits => {
    const { spec } = tinyModel({ config: { head_dim: 32 } });
    const model = await loadAddon().load({ ...spec, kvBits }, () => {});
    try {
      const { accepted, rejected } = await sameWithLookup(model);
      expect(accepted).toBeGreaterThan(5);
      expect(rejected).toBeGreaterThan(0);
    } finally {
      await model.close();
    }
  });
});
