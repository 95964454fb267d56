import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { readTextFile } from './read-text-file.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** The text of a file that nobody but this user can have written; undefined: there is none. Throws why it is refused. */
export function readOwnFile(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile()) throw new Error('it is not a file');
  const foreign = process.getuid !== undefined && stat.uid !== process.getuid();
  if (foreign || (stat.mode & 0o022) !== 0) throw new Error('other users can write to it');
  return readTextFile(path, MAX_BYTES);
}

/** Replaces a file at once by one that only this user can read and write. */
export function writeOwnFile(path: string, text: string): void {
  makeFolder(dirname(path), 0o700);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
