import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The path a user typed, where `~/` is the home folder. */
export function userPath(file: string): string {
  return file.startsWith('~/') ? join(homedir(), file.slice(2)) : resolve(file);
}
