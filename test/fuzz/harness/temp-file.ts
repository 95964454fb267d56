import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Bytes = Uint8Array | string;

let folder: string | undefined;
/** What lies there now. */
const written = new Map<string, Bytes>();

/**
 * Calls `use` with a folder that holds exactly the given files, in memory where the system has such a place. A file
 * whose bytes are the same object as in the last call is not written again.
 */
export function withFiles<T>(files: Readonly<Record<string, Bytes>>, use: (folder: string) => T): T {
  folder ??= makeFolder();
  for (const name of written.keys()) {
    if (name in files) continue;
    rmSync(join(folder, name), { force: true });
    written.delete(name);
  }
  for (const [name, bytes] of Object.entries(files)) {
    if (written.get(name) === bytes) continue;
    writeFileSync(join(folder, name), bytes);
    written.set(name, bytes);
  }
  return use(folder);
}

const NAME = 'llm-host-fuzz-';

function makeFolder(): string {
  const parent = process.platform === 'linux' ? '/dev/shm' : tmpdir();
  removeLeftovers(parent);
  const made = mkdtempSync(join(parent, `${NAME}${process.pid}-`));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Folders of processes that were killed, as one is in which an input hangs. */
export function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(NAME) ? Number.parseInt(name.slice(NAME.length), 10) : Number.NaN;
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
