import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';

/** A weight file open for reading by position. */
export interface ModelFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes from `offset`, which must lie inside the file. */
  read(offset: number, length: number): Buffer;
}

/** Opens `path` for as long as `use` runs. Whatever goes wrong in the file system is MODEL_BROKEN. */
export function withModelFile<T>(path: string, use: (file: ModelFile) => T): T {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw broken(path, `cannot be opened: ${messageOf(error)}`, { cause: error });
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw broken(path, 'is not a file');
    return use({
      path,
      size: stat.size,
      read: (offset, length) => readFully(descriptor, path, offset, length),
    });
  } finally {
    closeSync(descriptor);
  }
}

function readFully(descriptor: number, path: string, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    let count: number;
    try {
      count = readSync(descriptor, buffer, done, length - done, offset + done);
    } catch (error) {
      throw broken(path, `cannot be read: ${messageOf(error)}`, { cause: error });
    }
    if (count === 0) throw truncated(path, offset + length, offset + done);
    done += count;
  }
  return buffer;
}

/** MODEL_BROKEN naming the file; `what` continues the sentence. */
export function broken(
  path: string,
  what: string,
  options: { hint?: string; cause?: unknown } = {},
): LlmHostError {
  return new LlmHostError('MODEL_BROKEN', `${basename(path)} ${what}`, {
    hint: `The file is ${path}`,
    ...options,
  });
}

/** MODEL_UNSUPPORTED naming the file; `what` continues the sentence. */
export function unsupported(path: string, what: string, hint = `The file is ${path}`): LlmHostError {
  return new LlmHostError('MODEL_UNSUPPORTED', `${basename(path)} ${what}`, { hint });
}

/** The file ends before the data that it announces. */
export function truncated(path: string, needed: number, size: number, tensor?: string): LlmHostError {
  const whose = tensor === undefined ? '' : ` (tensor ${tensor})`;
  return broken(path, `is truncated${whose}: needs ${needed} bytes, file has ${size}. Download it again.`);
}
