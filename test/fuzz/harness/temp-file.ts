import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

function makeFolder(): string {
  const made = mkdtempSync(join(process.platform === 'linux' ? '/dev/shm' : tmpdir(), 'llm-host-fuzz-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}
