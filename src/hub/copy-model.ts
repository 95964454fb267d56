import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { makeFolder } from '../text/files/make-folder.ts';
import { entries } from './cached-models.ts';
import { onDisk } from './disk-failure.ts';
import { withFileLock } from './file-lock.ts';
import { hubCacheFolder } from './hub-environment.ts';
import { RepoFolder } from './repo-folder.ts';

/**
 * Gives a model in the cache another name, `org/name`: a folder of its own with links to the same files, which stay as long
 * as either is there. Waits for a running download.
 * @throws LlmHostError MODEL_NOT_FOUND: it is not in the cache; USAGE: there is a model with the other name
 */
export async function copyModel(from: string, to: string, env: NodeJS.ProcessEnv): Promise<void> {
  const cacheFolder = hubCacheFolder(env);
  const [source, target] = [new RepoFolder(cacheFolder, from), new RepoFolder(cacheFolder, to)];
  if (from === to) throw isThere(to);
  // Always in the same order, so that two copies in opposite directions do not wait for each other.
  const [first = '', second = ''] = [source.lockPath, target.lockPath].sort();
  await onDisk(cacheFolder, () =>
    withFileLock(first, {}, () =>
      withFileLock(second, {}, async () => {
        if (!isPresent(source))
          throw new LlmHostError('MODEL_NOT_FOUND', `Model '${from}' is not in the cache: ${source.path}`);
        if (isPresent(target)) throw isThere(to);
        copyFolder(source.path, target.path, cacheFolder);
      }),
    ),
  );
}

const isPresent = ({ path }: RepoFolder) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function isThere(name: string): LlmHostError {
  return new LlmHostError('USAGE', `Model '${name}' already exists`, { hint: 'Delete it first.' });
}

/** Whole, or not at all: no repository's name begins with a dot. */
function copyFolder(from: string, to: string, cacheFolder: string): void {
  const draft = mkdtempSync(join(cacheFolder, '.copy-'));
  try {
    linkAll(from, draft);
    renameSync(draft, to);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Links within the folder are relative, and so point into the copy. */
function linkAll(from: string, to: string): void {
  makeFolder(to);
  for (const entry of entries(from)) {
    const [old, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name.endsWith('.incomplete')) continue;
    if (entry.isDirectory()) linkAll(old, copy);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(old), copy);
    else linkFile(old, copy);
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Some file systems have no hard links; most of those can share the blocks.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}
