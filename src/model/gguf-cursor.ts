import { broken, type ModelFile, truncated } from './model-file.ts';

const CHUNK = 1 << 20;

/** Bytes; far above any vocabulary or chat template, so that a hostile length cannot ask for the machine's memory. */
const MAX_STRING = 1 << 24;
const MAX_METADATA = 1 << 28;

/** Reads little-endian values one after another, through a buffer of about one megabyte. */
export class GgufCursor {
  private readonly file: ModelFile;
  private buffer: Buffer = Buffer.alloc(0);
  private bufferStart = 0;
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
    return this.buffer.readUInt8(this.take(1));
  }

  u32(): number {
    return this.buffer.readUInt32LE(this.take(4));
  }

  /** A number while it is exact, else a bigint. */
  u64(): number | bigint {
    const value = this.buffer.readBigUInt64LE(this.take(8));
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  i64(): number | bigint {
    const value = this.buffer.readBigInt64LE(this.take(8));
    return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
  }

  u16 = (): number => this.buffer.readUInt16LE(this.take(2));
  i8 = (): number => this.buffer.readInt8(this.take(1));
  i16 = (): number => this.buffer.readInt16LE(this.take(2));
  i32 = (): number => this.buffer.readInt32LE(this.take(4));
  f32 = (): number => this.buffer.readFloatLE(this.take(4));
  f64 = (): number => this.buffer.readDoubleLE(this.take(8));

  /** How many of something follow; each takes at least `itemBytes`, so the file bounds the count. */
  count(what: string, itemBytes: number): number {
    const at = this.take(8);
    const count = this.buffer.readUInt32LE(at) + this.buffer.readUInt32LE(at + 4) * 2 ** 32;
    if (count * itemBytes > this.left) {
      throw broken(
        this.file.path,
        `is broken or truncated: ${count} ${what} in ${this.left} bytes. Download it again.`,
      );
    }
    if (count * itemBytes > MAX_METADATA) throw broken(this.file.path, `is broken: ${count} ${what}`);
    return count;
  }

  string(): string {
    const length = this.count('bytes of text', 1);
    if (length > MAX_STRING) throw broken(this.file.path, `is broken: a text of ${length} bytes`);
    const at = this.take(length);
    return this.buffer.toString('utf8', at, at + length);
  }

  /** Makes `length` bytes available and steps over them; their place in the buffer. */
  private take(length: number): number {
    let at = this.position - this.bufferStart;
    if (at + length > this.buffer.length) {
      if (length > this.left) throw truncated(this.file.path, this.position + length, this.file.size);
      if (this.position + length > MAX_METADATA)
        throw broken(this.file.path, 'is broken: its metadata do not end');
      this.buffer = this.file.read(this.position, Math.min(this.left, Math.max(CHUNK, length)));
      this.bufferStart = this.position;
      at = 0;
    }
    this.position += length;
    return at;
  }
}
