import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process that leaves its group (`setsid`, a daemon) keeps its environment, so each server starts with a mark in it
 * by which its descendants are found, unless they deliberately empty their environment.
 */
export const MARK_VARIABLE = 'LLM_HOST_SERVER';

/** Prefix of the marks of all servers of this process. */
export const HOST_MARK = `${process.pid}-${randomUUID()}`;

let count = 0;

/** A mark for one start of a server. */
export function newMark(): string {
  count += 1;
  return `${HOST_MARK}.${count};`;
}

/** This user's live processes whose mark starts with `mark`. On Linux from /proc, about 1 ms per 100 processes. */
export function markedProcesses(mark: string): number[] {
  const entry = `${MARK_VARIABLE}=${mark}`;
  return (process.platform === 'linux' ? inProc(entry) : inProcessList(entry)).filter(
    pid => pid !== process.pid,
  );
}

/** Sends a signal to every marked process; returns how many there were. */
export function signalMarked(mark: string, signal: 'SIGTERM' | 'SIGKILL'): number {
  const found = markedProcesses(mark);
  for (const pid of found) {
    try {
      process.kill(pid, signal);
    } catch {
      // ESRCH: it has exited since. EPERM: it now belongs to another user.
    }
  }
  return found.length;
}

function inProc(entry: string): number[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return `\0${readFileSync(`/proc/${name}/environ`, 'latin1')}`.includes(`\0${entry}`)
        ? [Number(name)]
        : [];
    } catch {
      // It has exited, or belongs to another user.
      return [];
    }
  });
}

/**
 * On macOS `ps` shows the environment of one's own processes after their command line; system programs hide theirs.
 */
function inProcessList(entry: string): number[] {
  try {
    const list = execFileSync('ps', ['-axwwE', '-o', 'pid=,command='], { encoding: 'utf8', stdio: 'pipe' });
    return list
      .split('\n')
      .filter(line => line.includes(entry))
      .map(line => Number.parseInt(line, 10));
  } catch {
    // Without ps, process groups must do.
    return [];
  }
}
