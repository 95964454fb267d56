import { constants, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onDisk } from './disk-failure.ts';

/** A part of a file that one request fetches from its beginning on. */
export interface Segment {
  readonly index: number;
  /** First byte in the file. */
  readonly start: number;
  /** Bytes. */
  readonly length: number;
  /** Bytes that are there. */
  done: number;
}

/** Bytes; large enough that asking for each is no work, small enough that several of one file go side by side. */
const SEGMENT_BYTES = 16 * 1024 * 1024;
const SLOT_BYTES = 8;

/**
 * A file on its way: room for all its bytes, and behind them one number for each segment, how much of it is there. It
 * is written after the bytes that it counts, so that whatever ends this process, the next one goes on from there. What
 * a power cut mixes up is found when the whole is hashed.
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

  /** Opens the file at `path`, with what is there of it, or makes it. */
  static async open(path: string, size: number): Promise<PartialFile> {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      const segments = planSegments(size);
      const length = size + segments.length * SLOT_BYTES;
      if ((await handle.stat()).size === length) await readSlots(handle, size, segments);
      else {
        await handle.truncate(0);
        await handle.truncate(length);
      }
      return new PartialFile(handle, dirname(path), size, segments);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Bytes that are there. */
  get done(): number {
    return this.segments.reduce((sum, segment) => sum + segment.done, 0);
  }

  /** Puts the next bytes of a segment in their place. Throws HubFailure. */
  async append(segment: Segment, bytes: Buffer): Promise<void> {
    await this.#writeFully(bytes, segment.start + segment.done);
    await this.#setDone(segment, segment.done + bytes.length);
  }

  /** Forgets what is there of a segment. */
  async restart(segment: Segment): Promise<void> {
    await this.#setDone(segment, 0);
  }

  /** All bytes in their order, in pieces. */
  async *content(): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafe(4 * 1024 * 1024);
    for (let position = 0; position < this.size; ) {
      const wanted = Math.min(buffer.length, this.size - position);
      const { bytesRead } = await this.#handle.read(buffer, 0, wanted, position);
      if (bytesRead === 0) throw new Error('the file became shorter while it was read');
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  }

  /** Cuts the counts off: what is left is the file itself, on the disk. */
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
