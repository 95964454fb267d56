import { defineConfig } from 'vitest/config';

/** What takes minutes, gigabytes or a registry: npm run test:long. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    reporters: ['verbose'],
    testTimeout: 60 * 60_000,
    hookTimeout: 60 * 60_000,
    fileParallelism: false,
  },
});
