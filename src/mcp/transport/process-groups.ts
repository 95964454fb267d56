import { setTimeout as sleep } from 'node:timers/promises';
import { Guardian } from './guardian.ts';
import { HOST_MARK, markedProcesses, signalAll } from './marked-processes.ts';
import { endTree, endTreeNow, onWindows } from './windows-tree.ts';

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
 * SIGTERM, a pause, SIGKILL to the whole group, even without its leader, and to processes that have left it.
 * Resolves when none is left, or after another pause for one that survives SIGKILL.
 */
export async function endGroup(group: number, pauseMs: number): Promise<void> {
  const mark = alive.get(group);
  if (mark === undefined) return;
  if (onWindows) {
    await endTree(group);
    return forgetGroup(group);
  }
  const left = () => markedProcesses(mark).filter(process => process.group !== group);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(group, signal);
    signalAll(left(), signal);
    const limit = Date.now() + pauseMs;
    let some = true;
    for (; some && Date.now() < limit; some = groupExists(group) || left().length > 0) await sleep(POLL_MS);
    if (!some) break;
  }
  forgetGroup(group);
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
  if (!onWindows && alive.size > 0) signalAll(markedProcesses(HOST_MARK), 'SIGKILL');
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
