import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addonCandidates } from '../../src/native/load-addon.ts';

/** What MLX finds in the environment once the addon is loaded in a new process. */
function environment(set: Record<string, string>): unknown {
  const print = `require(${JSON.stringify(addonCandidates()[0])}); const { MLX_ENABLE_TF32: tf32, MLX_PTX_CACHE_DIR: kernels } = process.env; console.log(JSON.stringify({ tf32, kernels }))`;
  const env = { PATH: process.env.PATH, ...set };
  return JSON.parse(execFileSync(process.execPath, ['-e', print], { env, encoding: 'utf8' }));
}

it('float32 stays float32, and what a GPU compiles is kept in the cache folder', () => {
  expect(environment({ HOME: '/home/ann' })).toEqual({
    tf32: '0',
    kernels: join('/home/ann', '.cache', 'llm-host', 'cuda-kernels'),
  });
  expect(environment({ HOME: '/home/ann', XDG_CACHE_HOME: '/cache' })).toMatchObject({
    kernels: '/cache/llm-host/cuda-kernels',
  });
});

it('what the user has set stays', () => {
  const set = { MLX_ENABLE_TF32: '1', MLX_PTX_CACHE_DIR: '/kernels' };
  expect(environment(set)).toEqual({ tf32: '1', kernels: '/kernels' });
});

it('without a home, nothing is said of the folder', () => {
  expect(environment({})).toEqual({ tf32: '0' });
});
