import { execFile, spawnSync } from 'node:child_process';

/**
 * Windows has no process groups; a process with its descendants, as `taskkill` sees them, stands in for one. A
 * grandchild whose parent has exited is not found, and nothing covers a crash of this program. Written from
 * Microsoft's documentation of taskkill; not yet run on Windows.
 */
export const onWindows = process.platform === 'win32';

/** Console programs cannot be asked to exit, so they are killed at once. */
const endOf = (pid: number): string[] => ['/PID', String(pid), '/T', '/F'];

/** Kills a process with its descendants. Never rejects: one that has exited is fine. */
export function endTree(pid: number, taskkill = 'taskkill'): Promise<void> {
  return new Promise(resolve => {
    execFile(taskkill, endOf(pid), { windowsHide: true }, () => resolve());
  });
}

/** The same, synchronously, for when this program exits. */
export function endTreeNow(pid: number, taskkill = 'taskkill'): void {
  spawnSync(taskkill, endOf(pid), { stdio: 'ignore', windowsHide: true });
}
