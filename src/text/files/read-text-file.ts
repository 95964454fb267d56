import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../../errors.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * A text file of at most `maxBytes`, as text without its byte order mark. Folders, devices, pipes without a writer
 * and endless files are refused instead of read; a pipe is read only with `pipes` (`--mcp <(command)`).
 * Throws Error with the path for a file that is missing, too large, or neither UTF-8 nor UTF-16 with a mark; with the
 * system's `code` if it cannot be opened.
 */
export function readTextFile(path: string, maxBytes: number, { pipes = false } = {}): string {
  const { bytes, size } = readStart(path, maxBytes, { pipes });
  if (size > maxBytes) throw new Error(`${path} is larger than ${Math.round(maxBytes / 1024)} KB`);
  const text = decodeText(bytes);
  if (text === undefined) throw new Error(`${path} is not UTF-8 text`);
  return text;
}

/**
 * The first `maxBytes` of a file, and its size, which is larger if there is more. Refuses what `readTextFile` refuses,
 * whatever is in the file.
 */
export function readStart(
  path: string,
  maxBytes: number,
  { pipes = false } = {},
): { bytes: Buffer; size: number } {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer blocks forever.
    file = openSync(path, constants.O_RDONLY | (pipes ? 0 : constants.O_NONBLOCK));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fault = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
    throw Object.assign(new Error(`${path} ${fault}`, { cause: error }), { code });
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() && !(pipes && stat.isFIFO())) throw new Error(`${path} is not a file`);
    // Files of /proc have no size of their own.
    const all = readAtMost(file, maxBytes + 1);
    return { bytes: all.subarray(0, maxBytes), size: Math.max(stat.isFile() ? stat.size : 0, all.length) };
  } finally {
    closeSync(file);
  }
}

function readAtMost(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes - total));
    const read = readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) break;
    total += read;
    chunks.push(chunk.subarray(0, read));
  }
  return Buffer.concat(chunks);
}

/** UTF-8, or UTF-16 with its mark, without the mark; undefined for anything else. `cut`: the last character may be half. */
export function decodeText(bytes: Uint8Array, { cut = false } = {}): string | undefined {
  // PowerShell and Notepad write UTF-16.
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff;
  const decoder = new TextDecoder(utf16 === true ? 'utf-16be' : utf16 || 'utf-8', { fatal: true });
  try {
    return decoder.decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}
