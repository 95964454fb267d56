import { homedir } from 'node:os';
import { sep } from 'node:path';

/** A path as a shell shows it, `~` for the home folder. */
export function homely(path: string, home = homedir()): string {
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
