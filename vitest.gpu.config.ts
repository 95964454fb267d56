import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/**
 * The engine's tests once more, with every decision that a GPU takes, on this CPU (part of `npm test`). Not by mergeConfig,
 * which would add these to the files of the other configuration.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'test/engine/{,cache/}*.test.ts',
      'test/golden/{caches/family-cache,decoders/families,decoders/tiny,quantized/quantized}.test.ts',
      'test/golden/same-text/{lookup,same-text-together}.test.ts',
      'test/native/adapters.test.ts',
      'test/native/model-math/model-math.test.ts',
    ],
    env: { ...base.test?.env, LLM_HOST_DEVICE_POLICY: 'gpu' },
  },
});
