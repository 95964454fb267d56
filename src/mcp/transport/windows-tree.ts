import { execFile, spawnSync } from 'node:child_process';

/**
 * What stands for a process group on Windows, which has none: a process with its descendants, as `taskkill` sees them.
 * A grandchild whose parent has left already is not found, and nothing watches for the sudden end of this program.
 * Written after Microsoft's description of taskkill; not run on Windows yet.
 */
export const onWindows = process.platform === 'win32';

/** A console program takes no request to end, so that it is ended at once. */
const endOf = (pid: number): string[] => ['/PID', String(pid), '/T', '/F'];

/** Ends a process with its descendants. Never rejects: one that has ended already is what was wanted. */
export function endTree(pid: number, taskkill = 'taskkill'): Promise<void> {
  return new Promise(resolve => {
    execFile(taskkill, endOf(pid), { windowsHide: true }, () => resolve());
  });
}

/** The same when this program exits: it returns when it is done. */
export function endTreeNow(pid: number, taskkill = 'taskkill'): void {
  spawnSync(taskkill, endOf(pid), { stdio: 'ignore', windowsHide: true });
}
