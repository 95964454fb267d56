import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';

/** A path as a shell shows it, `~` for the home folder. */
export function tildePath(path: string, home = homedir()): string {
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** The path a user typed, where `~/` is the home folder. */
export function userPath(file: string): string {
  return file.startsWith('~/') ? join(homedir(), file.slice(2)) : resolve(file);
}
