import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMIT = 'a'.repeat(40);

/** Puts a complete model at one revision into a cache, and returns its folder. */
export function cacheModel(cacheFolder: string, repo: string, revision = 'main'): string {
  const folder = join(cacheFolder, `models--${repo.replace('/', '--')}`);
  const snapshot = join(folder, 'snapshots', COMMIT);
  for (const made of [snapshot, join(folder, 'refs'), join(folder, 'blobs')])
    mkdirSync(made, { recursive: true });
  for (const name of ['config.json', 'model.safetensors', 'tokenizer.json'])
    writeFileSync(join(snapshot, name), '{}');
  writeFileSync(join(folder, 'refs', revision), COMMIT);
  return folder;
}
