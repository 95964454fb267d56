import { join } from 'node:path';
import { test } from 'vitest';
import { ROOT } from '../e2e/program.ts';
import { expectSameCompiled } from '../native/compile-cases.ts';

/** Each part that MLX compiles is in one of them; and all that docs/evidence/measurements.md counts. */
const MODELS = [
  'llama/plain',
  'qwen2/tied',
  'qwen3/plain',
  'mistral/full',
  'ministral3/full',
  'phi3/plain',
  'gemma3_text/older-keys',
  'granite/tied',
  'smollm3/default',
  'lfm2/plain',
  'lfm2/bias',
  'granitemoehybrid/hybrid-dense',
  'granitemoe/mlx',
  'qwen3_moe/mlx',
  'lfm2_moe/mlx',
  'gpt_oss/mlx',
];

test('compiled for a GPU, the families compute the same by as many kernels as are counted', () =>
  expectSameCompiled(MODELS.map(name => join(ROOT, 'test/fixtures/families', name))));
