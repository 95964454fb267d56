import { join } from 'node:path';
import { test } from 'vitest';
import { ROOT } from '../e2e/program.ts';
import { expectSameCompiled } from '../native/compile-cases.ts';

/** Each part that MLX compiles is in one of them. */
const MODELS = [
  'gemma3_text/older-keys',
  'granite/tied',
  'granitemoehybrid/hybrid-dense',
  'lfm2/bias',
  'lfm2_moe/mlx',
  'gpt_oss/mlx',
  'qwen3_moe/mlx',
];

test('compiled for a GPU, the families compute the same by as many kernels as are counted', () =>
  expectSameCompiled(MODELS.map(name => join(ROOT, 'test/fixtures/families', name))));
