import { setTimeout as sleep } from 'node:timers/promises';
import { Guardian } from './guardian.ts';
import { endTree, endTreeNow, onWindows } from './windows-tree.ts';

/** Milliseconds that a group gets to leave by itself after each step of the shutdown. */
const GRACE_MS = 500;
const POLL_MS = 15;

const alive = new Set<number>();
const guardian = new Guardian();
let exitHooked = false;

/** Registers a process group (the pid of its leader) that must not outlive this process, however it ends. */
export function trackGroup(group: number): void {
  if (!exitHooked) process.on('exit', killAllGroups);
  exitHooked = true;
  alive.add(group);
  if (!onWindows) guardian.watch(group);
}

/**
 * SIGTERM, a wait, SIGKILL, to all processes of the group, whether or not its leader lives. Resolves when none is left
 * (or, for one that even SIGKILL cannot end, after another wait). At most about a second.
 */
export async function endGroup(group: number): Promise<void> {
  if (!alive.has(group)) return;
  if (onWindows) {
    await endTree(group);
    return forgetGroup(group);
  }
  signalGroup(group, 'SIGTERM');
  if (!(await groupEnds(group, GRACE_MS))) {
    signalGroup(group, 'SIGKILL');
    await groupEnds(group, GRACE_MS);
  }
  forgetGroup(group);
}

/** Waits until no process of the group is left; false when some is after `limitMs`. */
async function groupEnds(group: number, limitMs: number): Promise<boolean> {
  const limit = Date.now() + limitMs;
  while (groupExists(group)) {
    if (Date.now() >= limit) return false;
    await sleep(POLL_MS);
  }
  forgetGroup(group);
  return true;
}

/**
 * Kills every registered group at once, synchronously. Runs by itself when the process exits; signals that end it
 * without exit handlers (SIGKILL, an unhandled SIGTERM) are the guardian's case.
 */
function killAllGroups(): void {
  for (const group of alive) {
    if (onWindows) endTreeNow(group);
    else signalGroup(group, 'SIGKILL');
  }
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
    // EPERM: it exists and is another user's (a setuid child).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, signal);
  } catch {
    // ESRCH: all gone already. EPERM: nothing that this user may do.
  }
}
