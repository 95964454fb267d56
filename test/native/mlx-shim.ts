import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../e2e/program.ts';

/** Builds mlx-fails.cc in `folder`. -> the environment that loads it before MLX */
export function mlxShim(folder: string): Readonly<Record<string, string>> {
  const shim = join(folder, 'mlx-fails.so');
  const source = fileURLToPath(new URL('mlx-fails.cc', import.meta.url));
  if (process.platform === 'linux')
    execFileSync('g++', ['-std=c++20', '-shared', '-fPIC', '-O1', '-o', shim, source, '-ldl']);
  return { LD_PRELOAD: shim, MLX_LIBRARY: join(ROOT, 'vendor/mlx/lib/libmlx.so') };
}
