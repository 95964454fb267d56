import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entries, filesBelow, refsOf } from './cached-models.ts';
import { onDisk } from './disk-failure.ts';
import { withFileLock } from './file-lock.ts';
import { hubCacheFolder } from './hub-environment.ts';
import { HubFailure, modelNotFound } from './hub-failure.ts';
import type { HubId } from './hub-id.ts';
import { RepoFolder } from './repo-folder.ts';
import { absentPath } from './snapshot-state.ts';

export interface RemoveOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Only the snapshot of the id's revision; blobs that other snapshots share are kept. */
  readonly revisionOnly: boolean;
  readonly onWait?: (pid: number | undefined) => void;
}

/**
 * Removes a model, or one revision of it, from the cache and resolves with the bytes freed. Waits for a running download
 * of it. Throws LlmHostError MODEL_NOT_FOUND with the reason as its hint.
 */
export async function removeModel(id: HubId, options: RemoveOptions): Promise<number> {
  const cacheFolder = hubCacheFolder(options.env);
  const folder = new RepoFolder(cacheFolder, id.repo);
  try {
    if (!lstatSync(folder.path, { throwIfNoEntry: false })) {
      throw new HubFailure(`It is not in the cache: ${folder.path}`);
    }
    return await onDisk(cacheFolder, () =>
      withFileLock(folder.lockPath, options, async () =>
        options.revisionOnly ? removeRevision(folder, id.revision) : removeAll(folder),
      ),
    );
  } catch (error) {
    if (!(error instanceof HubFailure)) throw error;
    throw modelNotFound(id.source, [error.message, error.advice].filter(Boolean).join('\n'), error);
  }
}

function removeAll(folder: RepoFolder): number {
  const freed = ['blobs', 'snapshots'].reduce((sum, name) => sum + bytesBelow(join(folder.path, name)), 0);
  // First, so that an interruption leaves no revision pointing to half a model.
  rmSync(join(folder.path, 'refs'), { recursive: true, force: true });
  rmSync(folder.path, { recursive: true, force: true });
  return freed;
}

function removeRevision(folder: RepoFolder, revision: string): number {
  const snapshot = folder.findSnapshot(revision);
  const commit = folder.readRef(revision);
  if (snapshot === undefined || commit === undefined) {
    throw new HubFailure(`The cache does not have its revision '${revision}': ${folder.path}`);
  }
  const refs = join(folder.path, 'refs');
  for (const ref of refsOf(refs).filter(name => folder.readRef(name) === commit)) rmSync(join(refs, ref));
  const freed = bytesBelow(snapshot);
  rmSync(snapshot, { recursive: true });
  rmSync(dirname(absentPath(snapshot, 'x')), { recursive: true, force: true });
  rmSync(join(folder.path, 'trees', `${commit}.json`), { force: true });
  const isLast = entries(join(folder.path, 'snapshots')).length === 0;
  return freed + (isLast ? removeAll(folder) : removeUnused(folder));
}

/** Blobs without a link from any snapshot, and partial files. */
function removeUnused(folder: RepoFolder): number {
  const used = new Set(linksBelow(join(folder.path, 'snapshots')));
  const blobs = join(folder.path, 'blobs');
  let freed = 0;
  for (const { name } of entries(blobs).filter(entry => !used.has(entry.name))) {
    freed += bytesOf(join(blobs, name));
    rmSync(join(blobs, name));
  }
  return freed;
}

/** The names of the blobs that links below a folder point to. */
function linksBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isSymbolicLink())
    .map(entry => basename(readlinkSync(join(entry.parentPath, entry.name))));
}

const bytesBelow = (folder: string): number =>
  filesBelow(folder).reduce((sum, path) => sum + bytesOf(path), 0);

/** Bytes on disk; removing a link to a store shared by several models frees nothing. */
function bytesOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? Math.min(stat.size, stat.blocks * 512) : 0;
}
