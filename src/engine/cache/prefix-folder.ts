import { lstatSync, readdirSync, rmSync, statfsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../text/files/make-folder.ts';

const SUFFIX = '.safetensors';
/** A process that is killed while it writes leaves its part; no write takes as long as this. */
const STALE_PART_MS = 3_600_000;
/** The share of the disk's free bytes: caches should not be what fills it. */
const SHARE_OF_FREE = 0.5;
/** More than the header of a file takes, without its tensors. */
const HEADER_BYTES = 65_536;

/** The folder of kept prefixes: a file each, which other processes may write and remove at any time. */
export class PrefixFolder {
  readonly #path: string;
  readonly #maxBytes: number;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  pathOf(key: string): string {
    return join(this.#path, `${key}${SUFFIX}`);
  }

  /** Bytes that tensors of one more file may take. Makes the folder and prunes it. @throws the system's error */
  room(): number {
    // Private: prompts are in it.
    makeFolder(this.#path, 0o700);
    // First: what a killed process left may be what fills the disk.
    this.prune();
    const { bavail, bsize } = statfsSync(this.#path);
    const most = Math.min(this.#maxBytes, Math.floor(bavail * bsize * SHARE_OF_FREE));
    return Math.max(0, most - HEADER_BYTES);
  }

  /** Whether there is such a file, and nothing else in its place. */
  has(path: string): boolean {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  }

  /** That it was of use: the others are dropped before it. */
  touch(path: string): void {
    const now = new Date();
    ignoringMissing(() => utimesSync(path, now, now));
  }

  remove(path: string): void {
    rmSync(path, { force: true });
  }

  /** Drops the least recently used files until the rest fit, and what killed processes left. */
  prune(): void {
    const entries = readdirSync(this.#path).flatMap(name => {
      const path = join(this.#path, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [{ path, size: found.size, used: found.mtimeMs }] : [];
    });
    const kept = entries.filter(({ path }) => path.endsWith(SUFFIX)).sort((a, b) => b.used - a.used);
    let sum = 0;
    for (const { path, size } of kept) {
      sum += size;
      if (sum > this.#maxBytes) this.remove(path);
    }
    for (const { path, used } of entries) {
      if (path.includes(`${SUFFIX}.part-`) && Date.now() - used > STALE_PART_MS) this.remove(path);
    }
  }
}

function ignoringMissing(body: () => void): void {
  try {
    body();
  } catch (error) {
    // Another process has dropped it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
