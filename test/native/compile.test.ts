import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, ROOT } from '../e2e/program.ts';
import { countCompiled, expectSameCompiled, HAS_COMPILER, repliesOf } from './compile-cases.ts';

const model = join(ROOT, 'test/fixtures/models/tiny-bf16');

test('MLX starts no compiler on a CPU', async () => {
  const { replies, compiled } = await repliesOf([model], {});
  expect(replies[0]?.tokens).toHaveLength(6);
  expect(compiled).toBe(0);
});

// All families: test/long/compile.test.ts.
test.skipIf(!HAS_COMPILER)(
  'compiled for a GPU, a model computes the same by as many kernels as are counted (needs g++)',
  { timeout: 120_000 },
  () => expectSameCompiled([model]),
);

test.skipIf(!HAS_COMPILER)(
  'doctor tries compiled operations where the device would run them (needs g++)',
  { timeout: 120_000 },
  async () => {
    const tried = async (env: Record<string, string>) => {
      const { stdout, compiled } = await countCompiled([MAIN, 'doctor', '--json'], {
        ...env,
        HF_HUB_OFFLINE: '1',
      });
      return { compiled, right: /all \d+ kinds of kernels compute what they should/.test(stdout) };
    };
    expect(await tried({})).toEqual({ compiled: 0, right: true });
    const onGpu = await tried({ LLM_HOST_DEVICE_POLICY: 'gpu', LLM_HOST_COMPILE: '1' });
    expect(onGpu).toEqual({ compiled: 1, right: true });
  },
);
