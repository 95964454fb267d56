import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { wheels } from '../project.mjs';
import { unpackWheel } from '../wheel.mjs';

/** The pinned wheel of MLX with this platform tag. */
export function mlxWheelFor(platform) {
  return { ...wheels.mlx.wheels.find(wheel => wheel.platform === platform), version: wheels.mlx.version };
}

/**
 * Fetches an MLX wheel and puts its folders into `folder`: `mlx`, including its licence, and the bundled libraries.
 * libmlx finds those next to its own folder, so all keep their names.
 * @param {{ package: string, version: string, platform: string, sha256: string }} wheel
 * @param {string} folder
 * @param {(mlx: string) => void} [check] given the unpacked `mlx`; when it throws, nothing is put in place
 */
export async function placeMlx(wheel, folder, check = () => {}) {
  const temp = join(folder, '.mlx-new');
  await unpackWheel(wheel, temp);
  check(join(temp, 'mlx'));
  const info = readdirSync(temp).find(name => name.endsWith('.dist-info'));
  if (info) renameSync(join(temp, info), join(temp, 'mlx', 'dist-info'));
  for (const name of readdirSync(temp)) {
    const target = join(folder, name);
    rmSync(target, { recursive: true, force: true });
    renameSync(join(temp, name), target);
  }
  rmSync(temp, { recursive: true, force: true });
}
