import { broken, truncated } from '../../text/files/model-fault.ts';
import { type TextList, TextListBuilder } from '../../text/text-list.ts';
import type { ModelFile } from '../weights/model-file.ts';

const CHUNK = 1 << 20;

/** Bytes; far above any vocabulary or chat template, yet a hostile length cannot exhaust memory. */
const MAX_STRING = 1 << 24;
const MAX_METADATA = 1 << 28;
/** Values of all lists together: a byte of the file becomes many in memory. */
const MAX_ITEMS = 1 << 24;

/** Reads little-endian values one after another, through a buffer of about one megabyte. */
export class GgufCursor {
  private readonly file: ModelFile;
  private readonly room = Buffer.allocUnsafe(CHUNK);
  private buffer: Buffer = Buffer.alloc(0);
  private bufferStart = 0;
  /** Where the bytes last taken start in the buffer. */
  private at = 0;
  private items = 0;
  /** Bytes from the start of the file. */
  position = 0;

  constructor(file: ModelFile) {
    this.file = file;
  }

  /** Bytes left in the file. */
  get left(): number {
    return this.file.size - this.position;
  }

  u8(): number {
    return this.take(1).readUInt8(this.at);
  }

  i8(): number {
    return this.take(1).readInt8(this.at);
  }

  u16(): number {
    return this.take(2).readUInt16LE(this.at);
  }

  i16(): number {
    return this.take(2).readInt16LE(this.at);
  }

  u32(): number {
    return this.take(4).readUInt32LE(this.at);
  }

  i32(): number {
    return this.take(4).readInt32LE(this.at);
  }

  /** A number if exact, else a bigint. */
  u64(): number | bigint {
    const value = this.take(8).readBigUInt64LE(this.at);
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  i64(): number | bigint {
    const value = this.take(8).readBigInt64LE(this.at);
    return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
  }

  f32(): number {
    return this.take(4).readFloatLE(this.at);
  }

  f64(): number {
    return this.take(8).readDoubleLE(this.at);
  }

  /** A count of items; each takes at least `itemBytes`, so the file's size bounds it. */
  count(what: string, itemBytes: number): number {
    const count = this.u32() + this.u32() * 2 ** 32;
    if (count * itemBytes > this.left) {
      throw broken(
        this.file.path,
        `is broken or truncated: ${count} ${what} in ${this.left} bytes. Download it again.`,
      );
    }
    if (count * itemBytes > MAX_METADATA) throw broken(this.file.path, `is broken: ${count} ${what}`);
    return count;
  }

  /** A count of values to keep. */
  listLength(what: string, itemBytes: number): number {
    const count = this.count(what, itemBytes);
    this.items += count;
    if (this.items > MAX_ITEMS) throw broken(this.file.path, `is broken: ${count} ${what}`);
    return count;
  }

  string(): string {
    const length = this.textLength();
    return this.take(length).toString('utf8', this.at, this.at + length);
  }

  strings(count: number): TextList {
    const texts = new TextListBuilder(count, 8 * count);
    for (let i = 0; i < count; i++) {
      const length = this.textLength();
      texts.add(this.take(length), this.at, this.at + length);
    }
    return texts.build();
  }

  private textLength(): number {
    const length = this.count('bytes of text', 1);
    if (length > MAX_STRING) throw broken(this.file.path, `is broken: a text of ${length} bytes`);
    return length;
  }

  /** Advances over `length` bytes and returns the buffer that holds them, from `this.at`. */
  private take(length: number): Buffer {
    this.at = this.position - this.bufferStart;
    if (this.at + length > this.buffer.length) {
      if (length > this.left) throw truncated(this.file.path, this.position + length, this.file.size);
      if (this.position + length > MAX_METADATA)
        throw broken(this.file.path, 'is broken: its metadata never end');
      const wanted = Math.min(this.left, Math.max(CHUNK, length));
      this.buffer = this.file.read(this.position, wanted, this.room);
      this.bufferStart = this.position;
      this.at = 0;
    }
    this.position += length;
    return this.buffer;
  }
}
