import { isUtf8 } from 'node:buffer';

/** Texts in one block of UTF-8: a vocabulary as JavaScript strings takes many times the memory. */
export class TextList implements Iterable<string> {
  /** The texts, one after another from the first byte. */
  readonly bytes: Buffer;
  readonly length: number;
  private readonly ends: Uint32Array;

  /** Text `i` ends before byte `ends[i]`. */
  constructor(bytes: Buffer, ends: Uint32Array) {
    this.bytes = bytes;
    this.ends = ends;
    this.length = ends.length;
  }

  static of(texts: Iterable<string>): TextList {
    const builder = new TextListBuilder();
    for (const text of texts) builder.addText(text);
    return builder.build();
  }

  /** Where an existing text starts in `bytes`. */
  startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] as number);
  }

  /** Where an existing text ends in `bytes`. */
  endOf(index: number): number {
    return this.ends[index] as number;
  }

  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.length)) return undefined;
    return this.bytes.toString('utf8', this.startOf(index), this.endOf(index));
  }

  /** -1: not found. */
  indexOf(text: string): number {
    const wanted = Buffer.from(text);
    for (let i = 0; i < this.length; i++) {
      const start = this.startOf(i);
      const end = this.endOf(i);
      if (end - start === wanted.length && this.bytes.compare(wanted, 0, wanted.length, start, end) === 0) {
        return i;
      }
    }
    return -1;
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let i = 0; i < this.length; i++) yield this.at(i) as string;
  }
}

/** Builds a TextList text by text. */
export class TextListBuilder {
  private bytes: Buffer;
  private ends: Uint32Array;
  private used = 0;
  private length = 0;

  /** Initial room for this many texts and bytes; it grows. */
  constructor(texts = 1 << 8, bytes = 1 << 12) {
    this.bytes = Buffer.allocUnsafe(bytes);
    this.ends = new Uint32Array(texts);
  }

  /** UTF-8 from `start` to `end` of `source`. */
  add(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    source.copy(this.bytes, this.used, start, end);
    this.endText(end - start);
  }

  addText(text: string): void {
    const most = 3 * text.length;
    this.reserve(most);
    this.endText(this.bytes.write(text, this.used, most, 'utf8'));
  }

  /** Invalid UTF-8 becomes U+FFFD, as in a string. */
  build(): TextList {
    const list = new TextList(this.bytes.subarray(0, this.used), this.ends.slice(0, this.length));
    return isUtf8(list.bytes) && isCutBetweenCharacters(list) ? list : TextList.of(list);
  }

  private reserve(bytes: number): void {
    if (this.used + bytes > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.used + bytes));
      this.bytes.copy(larger, 0, 0, this.used);
      this.bytes = larger;
    }
    if (this.length === this.ends.length) {
      const larger = new Uint32Array(2 * this.length + 1);
      larger.set(this.ends);
      this.ends = larger;
    }
  }

  private endText(bytes: number): void {
    this.used += bytes;
    this.ends[this.length++] = this.used;
  }
}

function isCutBetweenCharacters(list: TextList): boolean {
  for (let i = 0; i < list.length; i++) {
    const start = list.startOf(i);
    if (start < list.endOf(i) && ((list.bytes[start] as number) & 0xc0) === 0x80) return false;
  }
  return true;
}
