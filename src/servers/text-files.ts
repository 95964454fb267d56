import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, opendir, realpath, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ConfinedPath, confine } from './confined-path.ts';
import { ToolError } from './tool-server.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 1000;
const TOO_LARGE = 'larger than the limit of 1 MB.';
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** One name a line, sorted; folders end with `/`. */
export async function listFiles(root: string, directory: string): Promise<string> {
  const path = await confine(root, directory, '');
  if (!path.exists) throw new ToolError(`Folder not found: ${path.shown}`);
  if (!(await lstat(path.real)).isDirectory()) throw new ToolError(`${path.shown} is a file, not a folder.`);
  const names: string[] = [];
  let left = 0;
  for await (const entry of await opendir(path.real)) {
    if (names.length < MAX_ENTRIES) names.push(printable(entry.name) + (entry.isDirectory() ? '/' : ''));
    else left++;
  }
  if (names.length === 0) return 'The directory is empty.';
  names.sort((a, b) => (a < b ? -1 : 1));
  return left === 0 ? names.join('\n') : `${names.join('\n')}\n... and ${left} more`;
}

/** The content of a UTF-8 text file of at most 1 MB. */
export async function readTextFile(root: string, directory: string, filename: string): Promise<string> {
  const path = await confineFile(root, directory, filename);
  // O_NONBLOCK: should a FIFO have taken the file's place meanwhile, the open returns.
  const file = await open(path.real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    await checkUnmoved(path, file);
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (length > MAX_BYTES) throw new ToolError(`${path.shown} is ${TOO_LARGE}`);
      if (bytesRead === 0) return decode(path, buffer.subarray(0, length));
    }
  } finally {
    await file.close();
  }
}

/** Writes the whole file or nothing: a temporary file beside it takes its place. Keeps the mode of an existing one. */
export async function writeTextFile(
  root: string,
  directory: string,
  filename: string,
  content: string,
): Promise<string> {
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > MAX_BYTES) throw new ToolError(`The content is ${TOO_LARGE}`);
  const path = await confineName(root, directory, filename);
  const existing = path.exists ? checkRegular(path, await lstat(path.real)) : undefined;
  if (existing !== undefined) await access(path.real, constants.W_OK);
  const folder = await realpath(dirname(path.real)).catch(() => undefined);
  if (folder !== dirname(path.real)) throw new ToolError(`Folder not found: ${dirname(path.shown)}`);
  const temporary = join(folder, `.llm-host-${randomUUID()}.tmp`);
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      if (existing !== undefined) await file.chmod(existing.mode & 0o777);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path.real);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  return `Wrote ${bytes.length} byte${bytes.length === 1 ? '' : 's'} to ${path.shown}.`;
}

/** Deletes a file, never a folder. */
export async function deleteFile(root: string, directory: string, filename: string): Promise<string> {
  const path = await confineFile(root, directory, filename);
  await unlink(path.real);
  return `Deleted ${path.shown}.`;
}

/** An existing regular file. */
async function confineFile(root: string, directory: string, filename: string): Promise<ConfinedPath> {
  const path = await confineName(root, directory, filename);
  if (!path.exists) throw new ToolError(`File not found: ${path.shown}`);
  checkRegular(path, await lstat(path.real));
  return path;
}

function confineName(root: string, directory: string, filename: string): Promise<ConfinedPath> {
  if (filename.trim() === '') throw new ToolError('The filename is empty.');
  return confine(root, directory, filename);
}

function checkRegular(path: ConfinedPath, stats: Stats): Stats {
  if (stats.isDirectory()) throw new ToolError(`${path.shown} is a folder, not a file.`);
  if (!stats.isFile()) throw new ToolError(`${path.shown} is not a regular file.`);
  return stats;
}

/** The opened file must be what the checked path names, now that nobody can swap it any more. */
async function checkUnmoved(path: ConfinedPath, file: FileHandle): Promise<void> {
  const opened = checkRegular(path, await file.stat());
  const named = await lstat(path.real);
  const real = await realpath(path.real);
  if (real !== path.real || named.ino !== opened.ino || named.dev !== opened.dev) {
    throw new ToolError(`${path.shown} was changed while it was opened.`);
  }
}

function decode(path: ConfinedPath, bytes: Buffer): string {
  if (!bytes.includes(0)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      // Not UTF-8: refused below like other binary content.
    }
  }
  throw new ToolError(`${path.shown} is not a text file.`);
}

/** A file name may hold newlines and escape sequences; a list of lines must not. */
function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return name.replace(/[\u0000-\u001f\u007f]/g, '?');
}
