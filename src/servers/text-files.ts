import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { type ConfinedPath, confine, confineEntry, insideFolder } from './confined-path.ts';
import { ToolError } from './tool-server.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 1000;
const TOO_LARGE = 'larger than the limit of 1 MB.';
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** One name per line, each kind sorted; folders come first and end with `/`. */
export async function listFiles(root: string, directory: string): Promise<string> {
  const path = await confine(root, directory, '');
  if (!path.exists) throw new ToolError(`Folder not found: ${path.shown}`);
  if (!lstatSync(path.real).isDirectory()) throw new ToolError(`${path.shown} is a file, not a folder.`);
  const { names, left } = insideFolder(root, path.real, path.shown, readNames);
  if (names.length === 0) return 'The directory is empty.';
  names.sort((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || (a < b ? -1 : 1));
  return left === 0 ? names.join('\n') : `${names.join('\n')}\n... and ${left} more`;
}

/** Folders come first, as in file managers: the demo's model reads a list with one among the files back wrongly. */
function isFolder(name: string): boolean {
  return name.endsWith('/');
}

function readNames(): { names: string[]; left: number } {
  const names: string[] = [];
  let left = 0;
  const folder = opendirSync('.');
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (names.length < MAX_ENTRIES) names.push(printable(entry.name) + (entry.isDirectory() ? '/' : ''));
      else left++;
    }
  } finally {
    folder.closeSync();
  }
  return { names, left };
}

/** The content of a UTF-8 text file of at most 1 MB without other hard links, which could be outside. */
export async function readTextFile(root: string, directory: string, filename: string): Promise<string> {
  const path = await confineName(root, directory, filename);
  return inItsFolder(root, path, name => {
    existing(path, name);
    // O_NONBLOCK: if a FIFO has taken the file's place meanwhile, open still returns.
    const file = openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (checkRegular(path, fstatSync(file)).nlink > 1) {
        throw new ToolError(`${path.shown} has another name (a hard link), perhaps outside the folder.`);
      }
      return decode(path, readBytes(path, file));
    } finally {
      closeSync(file);
    }
  });
}

function readBytes(path: ConfinedPath, file: number): Buffer {
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  while (length <= MAX_BYTES) {
    const bytesRead = readSync(file, buffer, length, buffer.length - length, null);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw new ToolError(`${path.shown} is ${TOO_LARGE}`);
}

/** Writes the whole file or nothing, by renaming a temporary file. Keeps an existing file's mode. */
export async function writeTextFile(
  root: string,
  directory: string,
  filename: string,
  content: string,
): Promise<string> {
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > MAX_BYTES) throw new ToolError(`The content is ${TOO_LARGE}`);
  const path = await confineName(root, directory, filename);
  inItsFolder(root, path, name => {
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (stats !== undefined) checkRegular(path, stats);
    if (stats !== undefined) accessSync(name, constants.W_OK);
    replaceFile(name, bytes, stats?.mode);
  });
  return `Wrote ${bytes.length} byte${bytes.length === 1 ? '' : 's'} to ${path.shown}.`;
}

function replaceFile(name: string, bytes: Buffer, mode: number | undefined): void {
  const temporary = `.llm-host-${randomUUID()}.tmp`;
  const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      if (mode !== undefined) fchmodSync(file, mode & 0o777);
      writeFileSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, name);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Deletes a file, never a folder; of a link only the link. */
export async function deleteFile(root: string, directory: string, filename: string): Promise<string> {
  const path = await confineName(root, directory, filename, confineEntry);
  inItsFolder(root, path, name => {
    if (lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() !== true) existing(path, name);
    unlinkSync(name);
  });
  return `Deleted ${path.shown}.`;
}

/** Runs `work` in the file's folder, with the file's name. */
function inItsFolder<T>(root: string, path: ConfinedPath, work: (name: string) => T): T {
  try {
    return insideFolder(root, dirname(path.real), path.shown, () => work(basename(path.real)));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'chdir' || (code !== 'ENOENT' && code !== 'ENOTDIR')) throw error;
    throw new ToolError(`Folder not found: ${dirname(path.shown)}`);
  }
}

/** Throws ToolError unless it is a regular file. */
function existing(path: ConfinedPath, name: string): void {
  const stats = lstatSync(name, { throwIfNoEntry: false });
  if (stats === undefined) throw new ToolError(`File not found: ${path.shown}`);
  checkRegular(path, stats);
}

async function confineName(
  root: string,
  directory: string,
  filename: string,
  find: typeof confine = confine,
): Promise<ConfinedPath> {
  if (filename.trim() === '') throw new ToolError('The filename is empty.');
  const path = await find(root, directory, filename);
  if (path.real === root) throw new ToolError(`${path.shown} is a folder, not a file.`);
  return path;
}

function checkRegular(path: ConfinedPath, stats: Stats): Stats {
  if (stats.isDirectory()) throw new ToolError(`${path.shown} is a folder, not a file.`);
  if (!stats.isFile()) throw new ToolError(`${path.shown} is not a regular file.`);
  return stats;
}

function decode(path: ConfinedPath, bytes: Buffer): string {
  if (!bytes.includes(0)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      // Not UTF-8: refused below, like other binary content.
    }
  }
  throw new ToolError(`${path.shown} is not a text file.`);
}

/** File names may contain newlines and escape sequences, which must not get into a list of lines. */
function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return name.replace(/[\u0000-\u001f\u007f]/g, '?');
}
