import { readFileSync, rmSync } from 'node:fs';
import { wheels } from '../project.mjs';
import { fingerprint, listFiles, writeAtomically } from './fingerprint.mjs';

/** Stored with the addon, so that both move together. */
const notePath = addon => `${addon}.from`;

/** A hash over what an addon is built from: sources, CMake files, headers of npm and of MLX. */
function sourcesNow() {
  const sources = listFiles('native', path => !path.startsWith('native/test/'));
  return fingerprint([...sources, 'package-lock.json'], [wheels.mlx]);
}

/**
 * Discards the record of a cross-built addon's sources before a rebuild.
 * @param {string} addon its path
 * @returns {() => void} to call when it is built and checked: notes the sources that were there at the beginning
 */
export function beginCrossBuild(addon) {
  const sources = sourcesNow();
  rmSync(notePath(addon), { force: true });
  return () => writeAtomically(notePath(addon), `${sources}\n`);
}

/** True if the addon was built from the current sources and passed its check. */
export function isCrossBuilt(addon) {
  try {
    return readFileSync(notePath(addon), 'utf8').trim() === sourcesNow();
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}
