import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import { RepoFolder, repoOfFolder } from './repo-folder.ts';
import { missingFiles } from './snapshot-state.ts';

export interface CachedRevision {
  readonly commit: string;
  /** Branches and tags that point to it. */
  readonly refs: readonly string[];
  /** Files missing from the model; empty when it is complete. */
  readonly missing: readonly string[];
}

export interface CachedModel {
  /** `org/name` */
  readonly repo: string;
  readonly path: string;
  /** Bytes on disk, complete and partial files, each counted once. */
  readonly bytes: number;
  readonly partialBytes: number;
  /** Last change, in milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly revisions: readonly CachedRevision[];
}

/** The models in the cache, by name; other repositories are left out. Throws LlmHostError CONFIG. */
export function cachedModels(cacheFolder: string): CachedModel[] {
  return entries(cacheFolder)
    .flatMap(({ name }) => {
      const repo = repoOfFolder(name);
      return repo === undefined ? [] : [describe(cacheFolder, repo)];
    })
    .sort((a, b) => a.repo.localeCompare(b.repo, 'en'));
}

function describe(cacheFolder: string, repo: string): CachedModel {
  const folder = new RepoFolder(cacheFolder, repo);
  const refs = refsOf(join(folder.path, 'refs'));
  const snapshots = entries(join(folder.path, 'snapshots')).filter(entry => entry.isDirectory());
  const blobs = entries(join(folder.path, 'blobs')).map(({ name }) => ({
    name,
    stat: statSync(join(folder.path, 'blobs', name), { throwIfNoEntry: false }),
  }));
  const inPlace = filesBelow(join(folder.path, 'snapshots')).map(path => ({
    name: path,
    stat: statSync(path, { throwIfNoEntry: false }),
  }));
  const isPartial = ({ name }: { name: string }) => name.endsWith('.incomplete');
  // A partial file is sparse: only the bytes that have arrived take blocks.
  const taken = (list: typeof blobs) => list.reduce((sum, { stat }) => sum + (stat?.blocks ?? 0) * 512, 0);
  return {
    repo,
    path: folder.path,
    bytes: [...blobs.filter(blob => !isPartial(blob)), ...inPlace].reduce(
      (sum, { stat }) => sum + (stat?.size ?? 0),
      0,
    ),
    partialBytes: taken(blobs.filter(isPartial)),
    modifiedMs: Math.max(0, ...[...blobs, ...inPlace].map(({ stat }) => stat?.mtimeMs ?? 0)),
    revisions: snapshots.map(({ name }) => ({
      commit: name,
      refs: refs.filter(ref => folder.readRef(ref) === name),
      missing: missingFiles(folder.snapshotPath(name)),
    })),
  };
}

/** The paths of files below a folder, without links: in snapshots only where the file system has none. */
export function filesBelow(folder: string): string[] {
  return entries(folder).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Names of refs, such as `main` or `refs/pr/1`. */
export function refsOf(folder: string, prefix = ''): string[] {
  return entries(folder).flatMap(entry =>
    entry.isDirectory()
      ? refsOf(join(folder, entry.name), `${prefix}${entry.name}/`)
      : [`${prefix}${entry.name}`],
  );
}

/** Empty for a missing folder. */
export function entries(folder: string): Dirent[] {
  try {
    return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch (error) {
    throw new LlmHostError('CONFIG', `the cache folder ${folder} cannot be read: ${messageOf(error)}`, {
      hint: 'Set HF_HUB_CACHE to a readable folder.',
      cause: error,
    });
  }
}
