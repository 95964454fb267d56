import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process that leaves its group (`setsid`, a daemon) keeps its environment: each server is started with a mark of its
 * own there, by which its descendants are found. One that empties its environment on purpose is not.
 */
export const MARK_VARIABLE = 'LLM_HOST_SERVER';

/** What the marks of all servers of this process begin with. */
export const HOST_MARK = `${process.pid}-${randomUUID()}`;

let count = 0;

/** A mark for one start of one server. */
export function newMark(): string {
  count += 1;
  return `${HOST_MARK}.${count};`;
}

/** The live processes of this user that carry a mark beginning with `mark`. Linux: /proc, about 1 ms a 100 processes. */
export function markedProcesses(mark: string): number[] {
  const entry = `${MARK_VARIABLE}=${mark}`;
  return (process.platform === 'linux' ? inProc(entry) : inProcessList(entry)).filter(
    pid => pid !== process.pid,
  );
}

/** Sends a signal to every marked process; how many there were. */
export function signalMarked(mark: string, signal: 'SIGTERM' | 'SIGKILL'): number {
  const found = markedProcesses(mark);
  for (const pid of found) {
    try {
      process.kill(pid, signal);
    } catch {
      // ESRCH: it has ended since. EPERM: it has become another user's.
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
      // It has ended, or is another user's.
      return [];
    }
  });
}

/** macOS shows the environment of one's own processes behind their command line; system programs hide theirs. */
function inProcessList(entry: string): number[] {
  try {
    const list = execFileSync('ps', ['-axwwE', '-o', 'pid=,command='], { encoding: 'utf8', stdio: 'pipe' });
    return list
      .split('\n')
      .filter(line => line.includes(entry))
      .map(line => Number.parseInt(line, 10));
  } catch {
    // Without ps, the process groups have to do.
    return [];
  }
}
