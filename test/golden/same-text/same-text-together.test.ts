import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { withModel } from '../decoders/family-cases.ts';
import { everyFamily } from '../layer-kinds.ts';
import { expectSameTogether } from './together.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/models/${name}`, import.meta.url));

// MLX's experts on the CPU take float32 only.
const onGpu = process.env.LLM_HOST_DEVICE_POLICY === 'gpu';

describe('requests that run together, join and leave get the tokens that each gets alone', () => {
  test.each(everyFamily())('%s', async (_, family, variant) => {
    await withModel(family, variant, async source => {
      if (!onGpu) await expectSameTogether(source, { exact: false, count: 14, parallel: 5 });
      await expectSameTogether(source, { exact: true, count: 6, parallel: 3 });
    });
  });

  test.each(everyFamily())('%s, with a draft model', async (_, family, variant) => {
    await withModel(family, variant, async source => {
      await expectSameTogether(source, { exact: true, count: 6, parallel: 3, drafts: true });
    });
  });

  test.each([
    ['tiny-f32', true],
    ['tiny-q4', false],
  ])('%s, with an adapter', async (name, exact) => {
    const adapter = fixture(`${name}-adapter`);
    await expectSameTogether(fixture(name), { exact: exact || onGpu, count: 14, parallel: 5, adapter });
  });
});
