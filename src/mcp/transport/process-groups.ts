import { setTimeout as sleep } from 'node:timers/promises';
import { Guardian } from './guardian.ts';
import { HOST_MARK, markedProcesses, signalMarked } from './marked-processes.ts';
import { endTree, endTreeNow, onWindows } from './windows-tree.ts';

/** Milliseconds for processes to exit after each step of the shutdown. */
const GRACE_MS = 500;
const POLL_MS = 15;

/** Each group's mark. */
const alive = new Map<number, string>();
const guardian = new Guardian();
let exitHooked = false;

/**
 * Registers a process group (by the pid of its leader) that must not outlive this process, however it ends; nor may
 * processes with its mark that have left the group.
 */
export function trackGroup(group: number, mark: string): void {
  if (!exitHooked) process.on('exit', killAllGroups);
  exitHooked = true;
  alive.set(group, mark);
  if (!onWindows) guardian.watch(group);
}

/**
 * SIGTERM, a pause, SIGKILL to the whole group, even without its leader, then to processes that have left it.
 * Resolves when none is left, or after another pause for one that survives SIGKILL; two seconds at most.
 */
export async function endGroup(group: number): Promise<void> {
  const mark = alive.get(group);
  if (mark === undefined) return;
  if (onWindows) {
    await endTree(group);
    return forgetGroup(group);
  }
  await endAll(
    signal => signalGroup(group, signal),
    () => groupExists(group),
  );
  await endAll(
    signal => signalMarked(mark, signal),
    () => markedProcesses(mark).length > 0,
  );
  forgetGroup(group);
}

/** SIGTERM, a pause, SIGKILL, another pause; returns early once no process is left. */
async function endAll(send: (signal: 'SIGTERM' | 'SIGKILL') => void, someLeft: () => boolean): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!someLeft()) return;
    send(signal);
    const limit = Date.now() + GRACE_MS;
    while (someLeft() && Date.now() < limit) await sleep(POLL_MS);
  }
}

/**
 * Kills every registered group at once, synchronously. Runs when the process exits; signals that skip exit handlers
 * (SIGKILL, an unhandled SIGTERM) are left to the guardian.
 */
function killAllGroups(): void {
  for (const group of alive.keys()) {
    if (onWindows) endTreeNow(group);
    else signalGroup(group, 'SIGKILL');
  }
  if (!onWindows && alive.size > 0) signalMarked(HOST_MARK, 'SIGKILL');
  alive.clear();
  guardian.dismiss();
}

function forgetGroup(group: number): void {
  alive.delete(group);
  guardian.release(group);
}

function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    // EPERM: it exists but belongs to another user (a setuid child).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, signal);
  } catch {
    // ESRCH: all gone already. EPERM: nothing this user can do.
  }
}
