import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** Calls `use` with a folder that holds the given files, in memory where the system has such a place. */
export function withFiles<T>(
  files: Readonly<Record<string, Uint8Array | string>>,
  use: (folder: string) => T,
): T {
  if (folder === undefined) {
    folder = mkdtempSync(join(process.platform === 'linux' ? '/dev/shm' : tmpdir(), 'llm-host-fuzz-'));
    const made = folder;
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  try {
    return use(folder);
  } finally {
    for (const name of Object.keys(files)) rmSync(join(folder, name), { force: true });
  }
}
