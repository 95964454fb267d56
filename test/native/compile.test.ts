import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../e2e/program.ts';
import { expectSameCompiled, HAS_COMPILER, repliesOf } from './compile-cases.ts';

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
