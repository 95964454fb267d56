/** Shorter runs are encoded as quickly as they are found here. */
const SHORTEST = 64;

/**
 * The ids of runs of text that were encoded last: the messages of a conversation come again in every turn, and only
 * the new ones are worth the work. The run used longest ago goes first.
 */
export class RunCache {
  readonly #runs = new Map<string, Int32Array>();
  readonly #limit: number;
  #size = 0;

  /** limit: UTF-16 units of all runs together. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What `encode` gave for this run, which may have begun its text, when it was called for it. */
  ids(text: string, atStart: boolean, encode: () => readonly number[]): ArrayLike<number> {
    if (text.length < SHORTEST || text.length >= this.#limit) return encode();
    const key = `${atStart ? '^' : '-'}${text}`;
    const known = this.#runs.get(key);
    const ids = known ?? Int32Array.from(encode());
    if (known) this.#runs.delete(key);
    else this.#size += key.length;
    this.#runs.set(key, ids);
    for (const oldest of this.#runs.keys()) {
      if (this.#size <= this.#limit) break;
      this.#runs.delete(oldest);
      this.#size -= oldest.length;
    }
    return ids;
  }
}
