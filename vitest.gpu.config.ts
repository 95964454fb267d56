import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The engine's tests once more, with every decision that a GPU takes, on this CPU (part of `npm test`). */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      include: [
        'test/golden/{families,family-cache,quantized,tiny}.test.ts',
        'test/native/{adapters,model-math}.test.ts',
      ],
      env: { LLM_HOST_DEVICE_POLICY: 'gpu' },
    },
  }),
);
