import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../lib/build/fingerprint.mjs';

/** Environment variables from which compilers and CMake take options. */
const OPTIONS = ['CXXFLAGS', 'CPPFLAGS', 'LDFLAGS', 'CPATH', 'CPLUS_INCLUDE_PATH', 'LIBRARY_PATH'];

/**
 * Keeps a build folder, or empties it if it was made with other settings: CMake refuses a folder of another generator,
 * and does not notice a different compiler of the same name, or changed headers with the same or an older time.
 * @param {string} dir is there afterwards
 * @param {unknown} setting what the objects depend on beside the sources and the commands; the environment is added
 */
export function keepBuild(dir, setting) {
  const note = join(dir, 'setting.json');
  const text = JSON.stringify([setting, OPTIONS.map(name => process.env[name] ?? '')]);
  if (!existsSync(note) || readFileSync(note, 'utf8') !== text) rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeAtomically(note, text);
}

/**
 * Touches sources whose bytes differ from the last build in this folder: build tools compare only times, and would miss
 * a file that was restored, unpacked or copied with its old time.
 * @param {string} dir a folder kept by `keepBuild`
 * @param {readonly string[]} paths
 */
export function touchChanged(dir, paths) {
  const note = join(dir, 'sources.json');
  const known = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')) : undefined;
  const present = {};
  for (const path of paths) {
    present[path] = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (known && known[path] !== present[path]) utimesSync(path, new Date(), new Date());
  }
  writeAtomically(note, JSON.stringify(present));
}
