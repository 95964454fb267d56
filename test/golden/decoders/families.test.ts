import { describe, test } from 'vitest';
import { allVariants, everyVariant } from '../layer-kinds.ts';
import { expectGoldens, withModel } from './family-cases.ts';

// All of them on the CPU; by a GPU's decisions each kind of layer.
const variants = process.env.LLM_HOST_DEVICE_POLICY === 'gpu' ? everyVariant() : allVariants();

describe('equals the reference', () => {
  test.each(variants)('%s', (_, family, variant) =>
    withModel(family, variant, model => expectGoldens(model, variant)),
  );
});
