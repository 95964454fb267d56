import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with the given files, removed after the test. Objects are written as JSON. */
export function tempFolder(files: Readonly<Record<string, string | Uint8Array | object>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-model-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const raw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(path, raw ? content : JSON.stringify(content));
  }
  return folder;
}
