import { closeSync, fstatSync, readSync } from 'node:fs';
import { LlmHostError, messageOf } from '../../errors.ts';
import { openFile } from '../../text/files/json-file.ts';
import { broken, truncated } from '../../text/files/model-fault.ts';

/** A weight file open for reading by position. */
export interface ModelFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes from `offset`, which must lie inside the file; uses `room` as buffer if large enough. */
  read(offset: number, length: number, room?: Buffer): Buffer;
}

/** Opens `path` while `use` runs. File system errors become MODEL_BROKEN. */
export function withModelFile<T>(path: string, use: (file: ModelFile) => T): T {
  let descriptor: number;
  try {
    descriptor = openFile(path);
  } catch (error) {
    if (error instanceof LlmHostError) throw error;
    throw broken(path, `cannot be opened: ${messageOf(error)}`, { cause: error });
  }
  try {
    const { size } = fstatSync(descriptor);
    return use({ path, size, read: (...args) => readFully(descriptor, path, ...args) });
  } finally {
    closeSync(descriptor);
  }
}

function readFully(
  descriptor: number,
  path: string,
  offset: number,
  length: number,
  room: Buffer = Buffer.alloc(0),
): Buffer {
  const buffer = room.length < length ? Buffer.allocUnsafe(length) : room.subarray(0, length);
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
