/** Shorter runs are encoded as fast as they are looked up. */
const SHORTEST = 64;

/**
 * Ids of recently encoded runs of text: the messages of a conversation come again in every turn, and only the new
 * ones need work. Least recently used runs are dropped first.
 */
export class RunCache {
  readonly #runs = new Map<string, Int32Array>();
  readonly #limit: number;
  #size = 0;

  /** `limit`: UTF-16 units of all runs together. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The ids of this run, from `encode` if they are not cached. `atStart`: it starts its text. */
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
