import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and what is missing above it, each with `mode`. Node's own `recursive` never returns where a file
 * system says of a folder it refuses that its parent is missing, as Linux's /proc does.
 * @throws the system's error, with its `code`
 */
export function makeFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(folder)) throw error;
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
