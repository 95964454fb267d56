import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { HubFile } from './hub-api.ts';
import { isCommit } from './hub-id.ts';

/** Of `stat`, whatever the file system uses. */
const BLOCK_BYTES = 512;

/**
 * A repository's folder in the cache, as Python's huggingface_hub lays it out: contents in `blobs` by their hash,
 * `snapshots/<commit>` with links to them, `refs/<revision>` with the commit that it meant when last asked.
 */
export class RepoFolder {
  readonly path: string;
  /** For the lock: beside those of Python. */
  readonly lockPath: string;

  constructor(cacheFolder: string, repo: string) {
    const name = `models--${repo.replace('/', '--')}`;
    this.path = join(cacheFolder, name);
    this.lockPath = join(cacheFolder, '.locks', name, 'llm-host.lock');
  }

  blobPath(etag: string): string {
    return join(this.path, 'blobs', etag);
  }

  /** The ending lets Python's tools see and clear away what was never finished. */
  partialPath({ etag }: HubFile): string {
    return join(this.path, 'blobs', `${etag}.llm-host.incomplete`);
  }

  snapshotPath(commit: string): string {
    return join(this.path, 'snapshots', commit);
  }

  /** The blob is there. It was moved into place when its hash was right, so the size is enough to look at. */
  hasBlob({ etag, size }: HubFile): boolean {
    return statSync(this.blobPath(etag), { throwIfNoEntry: false })?.size === size;
  }

  /** The file is in a snapshot, whole. */
  hasInSnapshot(commit: string, { path, size }: HubFile): boolean {
    return statSync(join(this.snapshotPath(commit), path), { throwIfNoEntry: false })?.size === size;
  }

  /** Bytes on the disk that the file will take beyond what it takes now. */
  missingBytes(file: HubFile): number {
    if (this.hasBlob(file)) return 0;
    const partial = statSync(this.partialPath(file), { throwIfNoEntry: false });
    return Math.max(0, file.size - (partial ? partial.blocks * BLOCK_BYTES : 0));
  }

  /** Throws what the file system does. */
  prepare(): void {
    mkdirSync(join(this.path, 'blobs'), { recursive: true });
  }

  linkIntoSnapshot(commit: string, { path, etag }: HubFile): void {
    const place = join(this.snapshotPath(commit), path);
    const target = relative(dirname(place), this.blobPath(etag));
    mkdirSync(dirname(place), { recursive: true });
    const there = lstatSync(place, { throwIfNoEntry: false });
    if (there?.isSymbolicLink() && readlinkSync(place) === target) return;
    const draft = `${place}.${process.pid}.new`;
    symlinkSync(target, draft);
    renameSync(draft, place);
  }

  /** The commit of a revision; undefined when the cache does not know it. */
  readRef(revision: string): string | undefined {
    if (isCommit(revision)) return revision;
    try {
      const commit = readFileSync(join(this.path, 'refs', revision), 'utf8').trim();
      return isCommit(commit) ? commit : undefined;
    } catch {
      // No such ref, or a folder of refs: the cache does not know that revision.
      return undefined;
    }
  }

  writeRef(revision: string, commit: string): void {
    if (revision === commit || this.readRef(revision) === commit) return;
    const path = join(this.path, 'refs', revision);
    mkdirSync(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}.new`;
    writeFileSync(draft, commit);
    renameSync(draft, path);
  }

  /** The folder of a revision's snapshot, complete or not; undefined when there is none. */
  findSnapshot(revision: string): string | undefined {
    const commit = this.readRef(revision);
    if (commit === undefined) return undefined;
    const folder = this.snapshotPath(commit);
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : undefined;
  }
}
