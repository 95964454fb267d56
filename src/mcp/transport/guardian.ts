import { type ChildProcess, spawn } from 'node:child_process';
import { HOST_MARK, MARK_VARIABLE } from './marked-processes.ts';

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
export class Guardian {
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
