import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Where the start stands in /proc/PID/stat, behind the name. */
const START = 19;

/**
 * When a process began; `ended`: only its number is left; undefined: the system does not say. As src/hub/process-start.ts,
 * which is not built yet when a set-up runs.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function processStart(pid) {
  try {
    if (process.platform === 'linux') return startInProc(pid);
    if (process.platform === 'win32') return undefined;
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function startInProc(pid) {
  // Its name, which may hold anything, ends at the last parenthesis.
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '');
  const [state, ...fields] = stat.split(' ');
  return ['Z', 'X'].includes(state) ? 'ended' : fields[START - 1];
}
