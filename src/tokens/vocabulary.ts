import { shownJson } from '../text/clean/visible.ts';
import { TextList } from '../text/text-list.ts';
import { brokenTokenizer } from './tokenizer-json.ts';

/** Far above any real vocabulary: memory is allocated up to the largest id. */
const MAX_SIZE = 1 << 24;

/** Maps ids to tokens and back without a string for each: a hash table over their UTF-8. */
export class Vocabulary {
  /** By id; empty for ids without a token. */
  readonly texts: TextList;
  private readonly isToken: (id: number) => boolean;
  /** Id plus 1, at or after the slot of its hash; 0: free. */
  private readonly slots: Int32Array;
  /** Random, so that nobody can choose tokens that all collide. */
  private readonly seed = Math.floor(Math.random() * 2 ** 32);

  /** For equal texts, the last id is found. */
  constructor(texts: TextList, isToken: (id: number) => boolean = () => true) {
    this.texts = texts;
    this.isToken = isToken;
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * texts.length + 2)));
    for (let id = 0; id < texts.length; id++) {
      if (!isToken(id)) continue;
      this.slots[this.slotOf(texts.bytes, texts.startOf(id), texts.endOf(id))] = id + 1;
    }
  }

  /** @throws LlmHostError MODEL_BROKEN for an invalid token or id */
  static ofIds(tokens: Iterable<unknown>, idOf: (token: string) => unknown): Vocabulary {
    const byId: (string | undefined)[] = [];
    for (const token of tokens) {
      if (typeof token !== 'string')
        throw brokenTokenizer(`a token of 'vocab' is ${shownJson(token)}, not text`);
      const id = idOf(token);
      if (!Number.isInteger(id) || (id as number) < 0 || (id as number) >= MAX_SIZE) {
        throw brokenTokenizer(`a token of 'vocab' has the id ${shownJson(id)}`);
      }
      byId[id as number] = token;
    }
    const present = Uint8Array.from(byId, token => (token === undefined ? 0 : 1));
    const texts = TextList.of(Array.from(byId, token => token ?? ''));
    return present.includes(0) ? new Vocabulary(texts, id => present[id] === 1) : new Vocabulary(texts);
  }

  /** One more than the largest id. */
  get size(): number {
    return this.texts.length;
  }

  textOf(id: number): string | undefined {
    return this.isToken(id) ? this.texts.at(id) : undefined;
  }

  idOf(token: string): number | undefined {
    const bytes = Buffer.from(token);
    const id = this.idOfBytes(bytes, 0, bytes.length);
    return id < 0 ? undefined : id;
  }

  /** The token with these UTF-8 bytes; -1 if there is none. */
  idOfBytes(bytes: Uint8Array, start: number, end: number): number {
    return (this.slots[this.slotOf(bytes, start, end)] as number) - 1;
  }

  /** The token's slot, or where it would be. */
  private slotOf(bytes: Uint8Array, start: number, end: number): number {
    const last = this.slots.length - 1;
    let slot = hash(this.seed, bytes, start, end) & last;
    for (;;) {
      const id = (this.slots[slot] as number) - 1;
      if (id < 0 || this.isAt(id, bytes, start, end)) return slot;
      slot = (slot + 1) & last;
    }
  }

  private isAt(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { texts } = this;
    const from = texts.startOf(id);
    if (texts.endOf(id) - from !== end - start) return false;
    for (let i = start; i < end; i++) {
      if (bytes[i] !== texts.bytes[from + i - start]) return false;
    }
    return true;
  }
}

/** FNV-1a, with its high bits folded into the low ones. */
function hash(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let value = seed;
  for (let i = start; i < end; i++) value = Math.imul(value ^ (bytes[i] as number), 0x01000193);
  return value ^ (value >>> 15);
}
