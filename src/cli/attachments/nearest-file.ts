import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '../../text/nearest.ts';

/** Entries that are compared: a mistyped name is not worth more time. */
const MAX_ENTRIES = 2000;

/** The entry of the path's own folder with the most similar name, as it would be typed. */
export function nearestFile(path: string, cwd: string): string | undefined {
  const folder = dirname(path);
  try {
    const names = readdirSync(resolve(cwd, folder)).slice(0, MAX_ENTRIES);
    const found = nearest(basename(path), names);
    return found === undefined ? undefined : folder === '.' ? found : join(folder, found);
  } catch {
    return undefined; // the folder is missing too
  }
}
