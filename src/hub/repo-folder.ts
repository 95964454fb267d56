import {
  copyFileSync,
  lstatSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { makeFolder } from '../text/files/make-folder.ts';
import { readTextFile } from '../text/files/read-text-file.ts';
import type { HubFile } from './hub-api.ts';
import { isCommit } from './hub-id.ts';

/** The unit of `stat`'s `blocks` on every file system. */
const BLOCK_BYTES = 512;
const MAX_REF_BYTES = 4096;

/** The repository, `org/name`, that a path in the cache folder begins with; undefined: with none. */
export function repoOfFolder(path: string): string | undefined {
  const [, org, name] = /^models--(.+?)--(.+)$/.exec(path.split(sep)[0] ?? '') ?? [];
  return org === undefined || name === undefined ? undefined : `${org}/${name}`;
}

/**
 * A repository's folder in the cache, in the layout of Python's huggingface_hub: `blobs` named by hash,
 * `snapshots/<commit>` with links to them, `refs/<revision>` with the commit it last pointed to.
 */
export class RepoFolder {
  readonly path: string;
  /** For the lock, beside huggingface_hub's. */
  readonly lockPath: string;

  constructor(cacheFolder: string, repo: string) {
    const name = `models--${repo.replace('/', '--')}`;
    this.path = join(cacheFolder, name);
    this.lockPath = join(cacheFolder, '.locks', name, 'llm-host.lock');
  }

  blobPath(etag: string): string {
    return join(this.path, 'blobs', etag);
  }

  /** The suffix lets Python's tools find and remove unfinished files. */
  partialPath({ etag }: HubFile): string {
    return join(this.path, 'blobs', `${etag}.llm-host.incomplete`);
  }

  snapshotPath(commit: string): string {
    return join(this.path, 'snapshots', commit);
  }

  /** Whether the blob is complete. It is moved into place only with the right hash, so its size tells. */
  hasBlob({ etag, size }: HubFile): boolean {
    return statSync(this.blobPath(etag), { throwIfNoEntry: false })?.size === size;
  }

  /** Whether the file is complete in a snapshot. */
  hasInSnapshot(commit: string, { path, size }: HubFile): boolean {
    return statSync(join(this.snapshotPath(commit), path), { throwIfNoEntry: false })?.size === size;
  }

  /** Whether the file is complete: its blob, or where there are no links, the file itself in the snapshot. */
  has(commit: string, file: HubFile): boolean {
    return this.hasBlob(file) || this.hasInSnapshot(commit, file);
  }

  /** Further bytes the file will take on disk. */
  missingBytes(commit: string, file: HubFile): number {
    if (this.has(commit, file)) return 0;
    const partial = statSync(this.partialPath(file), { throwIfNoEntry: false });
    return Math.max(0, file.size - (partial ? partial.blocks * BLOCK_BYTES : 0));
  }

  /** Throws file system errors. */
  prepare(): void {
    makeFolder(join(this.path, 'blobs'));
  }

  /**
   * Links the file to its blob. In a file system without links the blob becomes the file, as with huggingface_hub.
   * `again`: another file has the same blob and follows.
   */
  linkIntoSnapshot(commit: string, file: HubFile, again: boolean): void {
    const [place, blob] = [join(this.snapshotPath(commit), file.path), this.blobPath(file.etag)];
    const target = relative(dirname(place), blob);
    makeFolder(dirname(place));
    const there = lstatSync(place, { throwIfNoEntry: false });
    if (there?.isSymbolicLink() && readlinkSync(place) === target) return;
    if (there?.isFile() && !this.hasBlob(file)) return;
    const draft = `${place}.${process.pid}.new`;
    if (!madeLink(target, draft)) {
      if (again) copyFileSync(blob, draft);
      else renameSync(blob, draft);
    }
    renameSync(draft, place);
  }

  /** The commit of a revision; undefined if the cache does not know it. */
  readRef(revision: string): string | undefined {
    if (isCommit(revision)) return revision;
    try {
      const commit = readTextFile(join(this.path, 'refs', revision), MAX_REF_BYTES).trim();
      return isCommit(commit) ? commit : undefined;
    } catch {
      // No such ref, or a folder of refs: the cache does not know that revision.
      return undefined;
    }
  }

  writeRef(revision: string, commit: string): void {
    if (revision === commit || this.readRef(revision) === commit) return;
    const path = join(this.path, 'refs', revision);
    makeFolder(dirname(path));
    const draft = `${path}.${process.pid}.new`;
    writeFileSync(draft, commit);
    renameSync(draft, path);
  }

  /** A revision's snapshot folder, complete or not; undefined if there is none. */
  findSnapshot(revision: string): string | undefined {
    const commit = this.readRef(revision);
    if (commit === undefined) return undefined;
    const folder = this.snapshotPath(commit);
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : undefined;
  }
}

/** Errors of file systems without symbolic links: exFAT and FAT, network shares, some of FUSE. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** False where the file system has no symbolic links. */
function madeLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    if (NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
