import { defineConfig } from 'vitest/config';

/** The long search for inputs that break a reader: npm run fuzz. */
export default defineConfig({
  test: {
    include: ['test/fuzz/search.ts'],
    reporters: ['verbose'],
    testTimeout: 12 * 60 * 60_000,
    fileParallelism: false,
  },
});
