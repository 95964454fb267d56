import type { MergeTable } from './merge-table.ts';
import { MinHeap } from './min-heap.ts';
import type { Vocabulary } from './vocabulary.ts';
import type { WordModel } from './word-model.ts';

export interface BytePairOptions {
  /** Replaces characters without a token; undefined: they are dropped. */
  readonly unknownId: number | undefined;
  /** Consecutive unknown characters become one token. */
  readonly fusesUnknown: boolean;
  /** Characters without a token become the tokens `<0x00>` to `<0xFF>` of their bytes, if all exist. */
  readonly byteFallback: boolean;
  /** A word that is itself a token is not split. */
  readonly ignoresMerges: boolean;
}

/** For a symbol without a token. */
const NONE = -1;
/** Word length, in characters, to reserve memory for. */
const SHORT = 256;

/**
 * Byte-pair encoding (Sennrich et al., 2016): the characters of a word are symbols; of all adjacent pairs that merge,
 * the one of lowest rank is merged, leftmost first, until none is left.
 */
export class BytePairs implements WordModel {
  readonly unknownId: number | undefined;
  private readonly vocabulary: Vocabulary;
  private readonly merges: MergeTable;
  private readonly options: BytePairOptions;
  private readonly byteIds: Int32Array | undefined;
  private readonly shortWord = new Word(SHORT);
  private readonly heap = new MinHeap();

  constructor(vocabulary: Vocabulary, merges: MergeTable, options: BytePairOptions) {
    this.unknownId = options.unknownId;
    this.vocabulary = vocabulary;
    this.merges = merges;
    this.options = options;
    this.byteIds = options.byteFallback ? byteTokens(vocabulary) : undefined;
  }

  encode(words: readonly string[]): number[] {
    const ids: number[] = [];
    for (const text of words) this.encodeWord(text, ids);
    return ids;
  }

  private encodeWord(text: string, ids: number[]): void {
    const word = text.length <= SHORT ? this.shortWord : new Word(text.length);
    word.take(text, this.vocabulary);
    const whole = this.options.ignoresMerges ? this.vocabulary.idOfBytes(word.bytes, 0, word.end) : NONE;
    if (whole !== NONE) {
      ids.push(whole);
      return;
    }
    this.merge(word);
    for (let at = 0; at < word.length; at = word.next[at] as number) {
      const id = word.symbols[at] as number;
      if (id !== NONE) ids.push(id);
      else this.pushUnknown(word, at, ids);
    }
  }

  /** Heap entries combine rank and position in one number, so that among equal ranks the leftmost comes first. */
  private merge(word: Word): void {
    const { heap, merges } = this;
    const { symbols, next, previous, ranks, length } = word;
    // A time limit may have stopped the previous word half-way.
    heap.clear();
    const weigh = (left: number): void => {
      const right = next[left] as number;
      const rank = right < length ? merges.rankOf(symbols[left] as number, symbols[right] as number) : NONE;
      ranks[left] = rank;
      if (rank !== NONE) heap.push(rank * length + left);
    };
    for (let at = 0; at < length; at++) weigh(at);
    for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) {
      const left = entry % length;
      const rank = (entry - left) / length;
      // The pair no longer exists.
      if (ranks[left] !== rank) continue;
      const right = next[left] as number;
      const behind = next[right] as number;
      symbols[left] = merges.madeBy(rank);
      ranks[right] = NONE;
      next[left] = behind;
      if (behind < length) previous[behind] = left;
      weigh(left);
      if (left > 0) weigh(previous[left] as number);
    }
  }

  /** Unknown symbols are never merged, and this is one character. */
  private pushUnknown(word: Word, at: number, ids: number[]): void {
    const start = word.starts[at] as number;
    const end = at + 1 < word.length ? (word.starts[at + 1] as number) : word.end;
    const bytes = word.bytes.subarray(start, end);
    const { byteIds, unknownId } = this;
    if (byteIds && bytes.every(byte => byteIds[byte] !== NONE)) {
      for (const byte of bytes) ids.push(byteIds[byte] as number);
    } else if (unknownId !== undefined && !(this.options.fusesUnknown && ids.at(-1) === unknownId)) {
      ids.push(unknownId);
    }
  }
}

/** A word being encoded. Its symbols are a linked list, each at the position of its first character. */
class Word {
  readonly bytes: Uint8Array;
  end = 0;
  length = 0;
  readonly starts: Int32Array;
  readonly symbols: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** Rank of the merge with the next symbol. */
  readonly ranks: Int32Array;

  /** For words of up to `size` UTF-16 units. */
  constructor(size: number) {
    this.bytes = new Uint8Array(3 * size);
    this.starts = new Int32Array(size);
    this.symbols = new Int32Array(size);
    this.next = new Int32Array(size);
    this.previous = new Int32Array(size);
    this.ranks = new Int32Array(size);
  }

  take(text: string, vocabulary: Vocabulary): void {
    this.end = encoder.encodeInto(text, this.bytes).written;
    this.length = 0;
    for (let start = 0; start < this.end; ) {
      const after = Math.min(start + lengthOf(this.bytes[start] as number), this.end);
      const at = this.length++;
      this.starts[at] = start;
      this.symbols[at] = vocabulary.idOfBytes(this.bytes, start, after);
      this.previous[at] = at - 1;
      this.next[at] = at + 1;
      start = after;
    }
  }
}

const encoder = new TextEncoder();

/** Length in bytes of the character that starts with this byte. */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function byteTokens(vocabulary: Vocabulary): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    const hex = byte.toString(16).toUpperCase().padStart(2, '0');
    return vocabulary.idOf(`<0x${hex}>`) ?? NONE;
  });
}
