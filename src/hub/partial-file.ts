import { constants, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onDisk } from './disk-failure.ts';

/** A part of a file, fetched by one request. */
export interface Segment {
  readonly index: number;
  /** First byte in the file. */
  readonly start: number;
  /** Bytes. */
  readonly length: number;
  /** Bytes that have arrived. */
  done: number;
}

/** Bytes; large enough to make requests cheap, small enough to fetch several parts of a file in parallel. */
const SEGMENT_BYTES = 16 * 1024 * 1024;
const SLOT_BYTES = 8;

/**
 * A file being downloaded: space for all its bytes, followed by one count per segment of how many have arrived. A count
 * is written after the bytes it counts, so the next process can resume however this one ends. Damage by a power cut is
 * found when the whole file is hashed.
 */
export class PartialFile {
  readonly #handle: FileHandle;
  readonly #folder: string;
  readonly size: number;
  readonly segments: readonly Segment[];

  private constructor(handle: FileHandle, folder: string, size: number, segments: readonly Segment[]) {
    this.#handle = handle;
    this.#folder = folder;
    this.size = size;
    this.segments = segments;
  }

  /** Opens the partial file at `path`, or creates it. */
  static async open(path: string, size: number): Promise<PartialFile> {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      const segments = planSegments(size);
      const length = size + segments.length * SLOT_BYTES;
      const { size: present } = await handle.stat();
      const partial = new PartialFile(handle, dirname(path), size, segments);
      if (present === length) await readSlots(handle, size, segments);
      else {
        // `finish` has cut off its counts, and its process ended before it was in its place.
        const isWhole = present === size;
        if (!isWhole) await handle.truncate(0);
        await handle.truncate(length);
        if (isWhole) for (const segment of segments) await partial.#setDone(segment, segment.length);
      }
      return partial;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Bytes that have arrived. */
  get done(): number {
    return this.segments.reduce((sum, segment) => sum + segment.done, 0);
  }

  /** Writes the next bytes of a segment. Throws HubFailure. */
  async append(segment: Segment, bytes: Buffer): Promise<void> {
    await this.#writeFully(bytes, segment.start + segment.done);
    await this.#setDone(segment, segment.done + bytes.length);
  }

  /** Starts a segment over. */
  async restart(segment: Segment): Promise<void> {
    await this.#setDone(segment, 0);
  }

  /** All bytes in order, in pieces. */
  async *content(): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafe(4 * 1024 * 1024);
    for (let position = 0; position < this.size; ) {
      const wanted = Math.min(buffer.length, this.size - position);
      const { bytesRead } = await this.#handle.read(buffer, 0, wanted, position);
      if (bytesRead === 0) throw new Error('the file shrank while it was read');
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  }

  /** Cuts off the counts, which leaves the file itself, and syncs it to disk. */
  async finish(): Promise<void> {
    await this.#handle.truncate(this.size);
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #setDone(segment: Segment, done: number): Promise<void> {
    const slot = Buffer.allocUnsafe(SLOT_BYTES);
    slot.writeBigUInt64BE(BigInt(done));
    await this.#writeFully(slot, this.size + segment.index * SLOT_BYTES);
    segment.done = done;
  }

  async #writeFully(bytes: Buffer, position: number): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const rest = bytes.length - written;
      const { bytesWritten } = await onDisk(this.#folder, () =>
        this.#handle.write(bytes, written, rest, position + written),
      );
      written += bytesWritten;
    }
  }
}

function planSegments(size: number): Segment[] {
  return Array.from({ length: Math.ceil(size / SEGMENT_BYTES) }, (_, index) => {
    const start = index * SEGMENT_BYTES;
    return { index, start, length: Math.min(SEGMENT_BYTES, size - start), done: 0 };
  });
}

async function readSlots(handle: FileHandle, size: number, segments: readonly Segment[]): Promise<void> {
  const slots = Buffer.alloc(segments.length * SLOT_BYTES);
  await handle.read(slots, 0, slots.length, size);
  for (const segment of segments) {
    const done = Number(slots.readBigUInt64BE(segment.index * SLOT_BYTES));
    segment.done = done <= segment.length ? done : 0;
  }
}
