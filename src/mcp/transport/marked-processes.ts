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

/** A process of a server. */
export interface MarkedProcess {
  readonly pid: number;
  /** Its process group. */
  readonly group: number;
}

/** This user's live processes whose mark starts with `mark`. On Linux from /proc, about 1 ms per 100 processes. */
export function markedProcesses(mark: string): MarkedProcess[] {
  const entry = `${MARK_VARIABLE}=${mark}`;
  const found = process.platform === 'linux' ? inProc(entry) : inProcessList(entry);
  return found.filter(({ pid }) => pid !== process.pid);
}

export function signalAll(processes: readonly MarkedProcess[], signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // ESRCH: it has exited since. EPERM: it now belongs to another user.
    }
  }
}

function inProc(entry: string): MarkedProcess[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (!`\0${readFileSync(`/proc/${name}/environ`, 'latin1')}`.includes(`\0${entry}`)) return [];
      // Its name, which may hold anything, ends at the last parenthesis; state, parent and group follow.
      const [, , group] = readFileSync(`/proc/${name}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      return [{ pid: Number(name), group: Number(group) }];
    } catch {
      // It has exited, or belongs to another user.
      return [];
    }
  });
}

/**
 * On macOS `ps` shows the environment of one's own processes after their command line; system programs hide theirs.
 */
function inProcessList(entry: string): MarkedProcess[] {
  try {
    const list = execFileSync('ps', ['-axwwE', '-o', 'pid=,pgid=,command='], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return list
      .split('\n')
      .filter(line => line.includes(entry))
      .map(line => {
        const [pid, group] = line.trim().split(/\s+/);
        return { pid: Number(pid), group: Number(group) };
      });
  } catch {
    // Without ps, process groups must do.
    return [];
  }
}
