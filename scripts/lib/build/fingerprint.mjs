import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { root, vendorDir } from '../project.mjs';

/**
 * The files below `dir`, sorted, relative to the package's root. Empty if there is no such folder.
 * @param {string} dir relative to the package's root
 * @param {(path: string) => boolean} [keep]
 * @returns {string[]}
 */
export function listFiles(dir, keep = () => true) {
  let entries;
  try {
    entries = readdirSync(join(root, dir), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .flatMap(entry => {
      const path = `${dir}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(path, keep);
      return entry.isFile() && keep(path) ? [path] : [];
    })
    .sort();
}

/**
 * A hash over the names and contents of files, and over further values.
 * @param {readonly string[]} paths relative to the package's root
 * @param {readonly unknown[]} [values]
 */
export function fingerprint(paths, values = []) {
  const hash = createHash('sha256').update(JSON.stringify(values));
  for (const path of paths) {
    const bytes = readFileSync(join(root, path));
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** The sha256 of a file of any size, in hex. */
export async function sha256(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

const stampPath = name => join(vendorDir, '.stamps', `${name}.json`);

/** A finished step's record of itself; undefined if it never finished. */
export function readStamp(name) {
  try {
    return JSON.parse(readFileSync(stampPath(name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function writeStamp(name, value) {
  writeAtomically(stampPath(name), `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Writes a whole file or nothing. */
export function writeAtomically(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text);
  renameSync(part, path);
}
