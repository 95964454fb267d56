/** A line of a byte stream, or both ends of one that was too long to keep. */
export type SplitLine =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'oversized'; readonly bytes: number; readonly head: string; readonly tail: string };

const NEWLINE = 0x0a;
/** Enough of an oversized line to find a message's JSON-RPC id, which may come first or last. */
const KEEP_BYTES = 256;
/** A line that arrives byte by byte must not cost an object per byte. */
const MAX_CHUNKS = 1024;

/** Splits a byte stream into lines. Holds at most `maxBytes`; only both ends of a longer line are kept. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Never more than the limit, or the kept part would depend on how the line was chunked. */
  readonly #keepBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;
  #tail = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#keepBytes = Math.min(KEEP_BYTES, maxBytes);
  }

  /** Bytes of the unfinished line, dropped ones included. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  *push(chunk: Buffer): Generator<SplitLine> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#add(chunk.subarray(start, end));
      yield this.#finish();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#head !== undefined) {
      this.#tail = Buffer.concat([this.#tail, part.subarray(-this.#keepBytes)]).subarray(-this.#keepBytes);
      return;
    }
    this.#chunks.push(part);
    if (this.#chunks.length > MAX_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks)];
    if (this.#bytes <= this.#maxBytes) return;
    const all = Buffer.concat(this.#chunks);
    // Copies, so the large buffer can be freed.
    this.#head = Buffer.from(all.subarray(0, this.#keepBytes));
    this.#tail = Buffer.from(all.subarray(-this.#keepBytes));
    this.#chunks = [];
  }

  #finish(): SplitLine {
    const line: SplitLine =
      this.#head === undefined
        ? { type: 'line', text: Buffer.concat(this.#chunks).toString('utf8') }
        : {
            type: 'oversized',
            bytes: this.#bytes,
            head: this.#head.toString('utf8'),
            tail: this.#tail.toString('utf8'),
          };
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = Buffer.alloc(0);
    return line;
  }
}
