import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Where the start stands in /proc/PID/stat, behind the name. */
const START = 19;
const ENDED = ['Z', 'X'];

/**
 * When a process began, as the system writes it: a later process with the same number began at another time. `ended`: it has
 * come to its end, though its number is not free yet; undefined: the system does not say, or there is no such process.
 */
export function processStart(pid: number): string | 'ended' | undefined {
  try {
    if (process.platform === 'linux') return startInProc(pid);
    if (process.platform === 'win32') return undefined;
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function startInProc(pid: number): string | undefined {
  // Its name, which may hold anything, ends at the last parenthesis.
  const [state = '', ...fields] = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ENDED.includes(state) ? 'ended' : fields[START - 1];
}
