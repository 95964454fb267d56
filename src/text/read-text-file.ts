import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../errors.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * A text file of at most `maxBytes`, as text without its byte order mark. Folders, devices, pipes without a writer
 * and endless files are refused instead of read; a pipe is read only with `pipes` (`--mcp <(command)`).
 * Throws Error with the path for a file that is missing, too large, or neither UTF-8 nor UTF-16 with a mark.
 */
export function readTextFile(path: string, maxBytes: number, { pipes = false } = {}): string {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer blocks forever.
    file = openSync(path, constants.O_RDONLY | (pipes ? 0 : constants.O_NONBLOCK));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(missing ? `${path} does not exist` : `${path} cannot be read: ${messageOf(error)}`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() && !(pipes && stat.isFIFO())) throw new Error(`${path} is not a file`);
    return decode(readAtMost(file, maxBytes, path), path);
  } finally {
    closeSync(file);
  }
}

function readAtMost(file: number, maxBytes: number, path: string): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (true) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(file, chunk, 0, CHUNK_BYTES, null);
    if (read === 0) return Buffer.concat(chunks);
    total += read;
    if (total > maxBytes) throw new Error(`${path} is larger than ${Math.round(maxBytes / 1024)} KB`);
    chunks.push(chunk.subarray(0, read));
  }
}

function decode(bytes: Buffer, path: string): string {
  // PowerShell and Notepad write UTF-16.
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff;
  try {
    return new TextDecoder(utf16 === true ? 'utf-16be' : utf16 || 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not UTF-8 text`);
  }
}
