import { readFileSync, rmSync } from 'node:fs';
import { fingerprint, listFiles, writeAtomically } from './fingerprint.mjs';
import { wheels } from './project.mjs';

/** Beside the addon, so that the two go together wherever their folder is linked. */
const notePath = addon => `${addon}.from`;

/** A hash over what an addon is built from: sources, CMake files, headers of npm and of MLX. */
function sourcesNow() {
  const sources = listFiles('native', path => !path.startsWith('native/test/'));
  return fingerprint([...sources, 'package-lock.json'], [wheels.mlx]);
}

/**
 * Forgets of what sources a cross-built addon is, since it is built anew.
 * @param {string} addon its path
 * @returns {() => void} to call when it is built and checked: notes the sources that were there at the beginning
 */
export function beginCrossBuild(addon) {
  const sources = sourcesNow();
  rmSync(notePath(addon), { force: true });
  return () => writeAtomically(notePath(addon), `${sources}\n`);
}

/** True when the addon was built from the present sources, and passed its check. */
export function isCrossBuilt(addon) {
  try {
    return readFileSync(notePath(addon), 'utf8').trim() === sourcesNow();
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}
