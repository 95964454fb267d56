import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../text/files/make-folder.ts';
import type { Paper } from './atom.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Entry {
  readonly key: string;
  readonly stored: number;
  readonly papers: readonly Paper[];
}

/** Answers of the arXiv API, one file each; arXiv's own index changes once a day. */
export class PaperCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined if missing, broken, or older than `maxAgeMs`. */
  async get(key: string, maxAgeMs = DAY_MS): Promise<readonly Paper[] | undefined> {
    try {
      const entry = JSON.parse(await readFile(this.#path(key), 'utf8')) as Entry;
      const fresh = entry.key === key && Date.now() - entry.stored <= maxAgeMs;
      return fresh && Array.isArray(entry.papers) ? entry.papers : undefined;
    } catch {
      // Missing or broken: ask arXiv again.
      return undefined;
    }
  }

  /** A cache that cannot be written costs a request later, not the answer. */
  async set(key: string, papers: readonly Paper[]): Promise<void> {
    const entry: Entry = { key, stored: Date.now(), papers };
    const path = this.#path(key);
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      makeFolder(this.#folder, 0o700);
      await writeFile(temporary, JSON.stringify(entry), { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      process.stderr.write(`the cache cannot be written: ${String(error)}\n`);
      await rm(temporary, { force: true });
    }
  }

  #path(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
