import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // npm run test:long
    exclude: ['test/long/**', '**/node_modules/**'],
    globalSetup: ['test/fixtures/make.mjs'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Native tests load a model: two at once would only fight for the same cores.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
