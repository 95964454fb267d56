import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST_MARK, MARK_VARIABLE, markedProcesses, signalAll } from './marked-processes.ts';

const POLL_MS = 15;

/** Each group's mark. */
const alive = new Map<number, string>();
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

/**
 * Reads `+ <group> ` and `- <group>` lines. When its stdin closes, this program has ended one way or another, and the
 * groups still registered get SIGTERM, then SIGKILL. `start` is field 22 of /proc/<pid>/stat, remembered so that a
 * reused pid is left alone (empty on systems other than Linux). Last, processes that have left their group are killed
 * by their mark. Sticks to what dash, bash and busybox share.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT
start() { s=; { read -r s < /proc/$1/stat; } 2>/dev/null; s=\${s##*) }; set -- $s; echo "\${20}"; }
groups=
while read -r op pid; do
  rest=
  for g in $groups; do [ "\${g%%:*}" = "$pid" ] || rest="$rest $g"; done
  groups=$rest
  [ "$op" = + ] && groups="$groups $pid:$(start "$pid")"
done
signal() {
  for g in $groups; do
    now=$(start "\${g%%:*}")
    [ -z "$now" ] || [ "$now" = "\${g#*:}" ] && kill "-$1" "-\${g%%:*}" 2>/dev/null
  done
}
[ -z "$groups" ] && exit 0
marked() {
  if [ -d /proc/self ]; then
    for p in /proc/[0-9]*; do grep -qs "$1" "$p/environ" && kill -KILL "\${p#/proc/}" 2>/dev/null; done
  else
    ps -axwwE -o pid=,command= 2>/dev/null | grep -F "$1" | grep -v grep | while read -r pid rest; do kill -KILL "$pid"; done
  fi
}
signal TERM
sleep 1
signal KILL
marked "${MARK_VARIABLE}=$MARK"
`;

/** A guardian that exits sooner is not restarted before the next server. */
const MIN_LIFE_MS = 1000;

/**
 * One small shell for all servers, for the case no handler sees: this process dies of SIGKILL or a crash. Servers
 * that exit when stdin closes do not need it; stubborn ones and those behind wrappers do.
 */
class Guardian {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#tell('+', group);
  }

  /** With no groups left the guardian exits too, so that it never outlives us. */
  release(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#tell('-', group);
    if (this.#groups.size === 0) this.#end();
  }

  /** Stops the guardian at once, when this process exits and has killed the groups itself. */
  dismiss(): void {
    this.#groups.clear();
    this.#shell?.kill('SIGKILL');
    this.#shell = undefined;
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'llm-host-guardian'], {
      // Its own session: Ctrl+C and a closed terminal do not reach it. No stdout: it would hold a pipe of ours open.
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', MARK: HOST_MARK },
    });
    this.#shell = shell;
    const begun = Date.now();
    // If someone killed it, another takes over, unless the system refuses to run it.
    const forget = (): void => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      if (Date.now() - begun > MIN_LIFE_MS) this.#start();
    };
    shell.on('error', forget);
    shell.on('exit', forget);
    shell.stdin?.on('error', forget);
    shell.unref();
    (shell.stdin as { unref?: () => void } | null)?.unref?.();
    for (const group of this.#groups) this.#tell('+', group);
  }

  #tell(operation: '+' | '-', group: number): void {
    this.#shell?.stdin?.write(`${operation} ${group}\n`);
  }

  #end(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

const guardian = new Guardian();

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
