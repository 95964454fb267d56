/** Merges by rank, best first: the ids of two tokens, and of the token they form; -1: none. */
export interface Merges {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly made: Int32Array;
}

/** Looks up the merge of two neighbors: a hash table over pairs of ids. */
export class MergeTable {
  private readonly merges: Merges;
  /** Rank plus 1, at or after the slot of the pair's hash; 0: free. */
  private readonly slots: Int32Array;

  /** If a pair is listed twice, the last merge counts. */
  constructor(merges: Merges) {
    this.merges = merges;
    const { left, right } = merges;
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * left.length + 2)));
    for (let rank = 0; rank < left.length; rank++) {
      if ((merges.made[rank] as number) < 0) continue;
      this.slots[this.slotOf(left[rank] as number, right[rank] as number)] = rank + 1;
    }
  }

  /** -1: the two do not merge. */
  rankOf(left: number, right: number): number {
    return (this.slots[this.slotOf(left, right)] as number) - 1;
  }

  /** The token that this merge forms. */
  madeBy(rank: number): number {
    return this.merges.made[rank] as number;
  }

  private slotOf(left: number, right: number): number {
    const { merges, slots } = this;
    const last = slots.length - 1;
    const mixed = Math.imul(Math.imul(left, 0x9e3779b1) ^ right, 0x85ebca6b);
    let slot = (mixed ^ (mixed >>> 15)) & last;
    for (;;) {
      const rank = (slots[slot] as number) - 1;
      if (rank < 0 || (merges.left[rank] === left && merges.right[rank] === right)) return slot;
      slot = (slot + 1) & last;
    }
  }
}
