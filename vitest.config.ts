import { defineConfig } from 'vitest/config';

const TESTS = 'test/**/*.test.{ts,tsx}';

/** Tests that mostly wait, for limits of time and for other processes: many run at a time. */
const WAITING = ['test/mcp/**/*.test.ts', 'test/serve/http/**/*.test.ts', 'test/**/*.wait.test.ts'];

/** Tests of whole programs that need the machine to themselves: they measure times, follow a screen or drive a browser. */
const ALONE = 'test/e2e/**/*.alone.test.ts';

const SMOKE = 'test/e2e/smoke/**/*.test.ts';

/** The engine's tests, which run again with every decision that a GPU takes, on this CPU. */
const ENGINE = [
  'test/engine/{,cache/}*.test.ts',
  'test/golden/{caches/family-cache,decoders/families,decoders/tiny,quantized/quantized}.test.ts',
  'test/golden/same-text/{lookup,same-text-together}.test.ts',
  'test/native/adapters.test.ts',
  'test/native/model-math/model-math.test.ts',
];

/** What runs for hours runs only by name: `vitest run --project long`. */
const isNamed = (name: string) => process.argv.includes(name);
const HOURS = { fileParallelism: false, testTimeout: 12 * 60 * 60_000, hookTimeout: 60 * 60_000 };

function project(name: string, options: object) {
  return { extends: true as const, test: { name, ...options } };
}

export default defineConfig({
  test: {
    globalSetup: ['test/fixtures/make.mjs'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Native tests compute with all cores: more at once would only fight for them.
    maxWorkers: 2,
    projects: [
      project('compute', { include: [TESTS], exclude: [...WAITING, 'test/{e2e,long}/**'] }),
      project('waiting', { include: WAITING, maxWorkers: 6, sequence: { groupOrder: 1 } }),
      project('gpu', { include: ENGINE, env: { LLM_HOST_DEVICE_POLICY: 'gpu' } }),
      project('smoke', { include: [SMOKE] }),
      project('e2e', { include: ['test/e2e/**/*.test.ts'], exclude: [SMOKE, ALONE] }),
      project('alone', { include: [ALONE], fileParallelism: false }),
      ...[
        project('long', { include: ['test/long/**/*.test.ts'], ...HOURS }),
        project('fuzz', { include: ['test/fuzz/search.ts'], ...HOURS }),
      ].filter(({ test }) => isNamed(test.name)),
    ],
  },
});
