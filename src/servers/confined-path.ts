import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { ToolError } from './tool-server.ts';

/** Far beyond any path a model means; the error message repeats the path. */
const MAX_CHARS = 500;

/** A path inside the root, without symbolic links. */
export interface ConfinedPath {
  /** As the caller wrote it, for messages. */
  readonly shown: string;
  /** Absolute, with all links resolved. */
  readonly real: string;
  readonly exists: boolean;
}

/**
 * Resolves `directory/filename` inside `root` (an absolute path without links). Throws ToolError for absolute paths,
 * `..`, NUL, links out of the root, and missing folders on the way. The result was inside the root at that moment;
 * `insideFolder` pins its folder from then on.
 */
export async function confine(root: string, directory: string, filename: string): Promise<ConfinedPath> {
  const shown = [directory, filename].filter(part => part !== '').join('/') || '.';
  if (shown.length > MAX_CHARS) throw new ToolError('The path is too long.');
  for (const part of [directory, filename]) checkShape(part);
  const path = join(root, directory, filename);
  const found = await realpathOf(path, shown);
  if (found !== undefined) return { shown, real: confinedBy(root, found, shown), exists: true };
  if (await isLink(path)) throw new ToolError(`${shown} is a broken link.`);
  const folder = await realpathOf(dirname(path), shown);
  if (folder === undefined) return { shown, real: path, exists: false };
  return { shown, real: join(confinedBy(root, folder, shown), basename(path)), exists: false };
}

/** Confines the name itself: a link at the end of the path is not followed, but must not lead out either. */
export async function confineEntry(root: string, directory: string, filename: string): Promise<ConfinedPath> {
  const path = await confine(root, directory, filename);
  const written = join(root, directory, filename);
  if (!(await isLink(written))) return path;
  const folder = await realpath(dirname(written));
  return { ...path, real: join(confinedBy(root, folder, path.shown), basename(written)) };
}

/** The root itself: absolute, without links. Throws ToolError if it is not a folder. */
export async function confinedRoot(root: string): Promise<string> {
  const real = await realpath(root).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory())
    throw new ToolError(`The root ${root} is not a folder.`);
  return real;
}

function checkShape(part: string): void {
  if (part.includes('\0')) throw new ToolError('A path must not contain a NUL character.');
  if (/^([/\\]|[A-Za-z]:[/\\])/.test(part)) {
    throw new ToolError(`Absolute paths are not allowed: ${part}. Use a path inside the folder.`);
  }
  if (part.split(/[/\\]/).includes('..')) throw new ToolError(`".." is not allowed in a path: ${part}`);
}

/** Returns `real` if it is `root` or below it; both are absolute and without links. Throws ToolError. */
function confinedBy(root: string, real: string, shown: string): string {
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw new ToolError(`${shown} leads out of the folder.`);
}

async function realpathOf(path: string, shown: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw new ToolError(`${shown} is a link to itself.`);
    if (code === 'ENAMETOOLONG') throw new ToolError('The path is too long.');
    if (code === 'EACCES') throw new ToolError(`Permission denied: ${shown}`);
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true;
}

/**
 * Runs `work` with `folder` as the process's working directory. File names without a path then mean files of that folder
 * whatever is moved or linked meanwhile: a working directory is an inode, not a name. Its path is checked after the
 * change. `work` must be synchronous, so nothing else runs there. Throws ToolError if the folder has become a link out
 * of `root`, and Node's errors.
 */
export function insideFolder<T>(root: string, folder: string, shown: string, work: () => T): T {
  const before = process.cwd();
  process.chdir(folder);
  try {
    confinedBy(root, process.cwd(), shown);
    return work();
  } finally {
    process.chdir(before);
  }
}
