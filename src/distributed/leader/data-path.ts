import type { GroupProgress } from '../../native/addon-types.ts';

/** Looks, one a second, at which all wait and nothing has come. */
const MOST_STILL = 5;
/** A slower connection than 16 Mbit/s is of no use for sums of each layer. */
const SLOWEST_BYTES_PER_LOOK = 2_000_000;

/** Tells when all machines wait for each other's data and none comes, though each of them answers. */
export class DataPath {
  #before = '';
  #still = 0;

  /**
   * Once a second, with what each machine has said since the last look; undefined: nothing. Looks are counted, not
   * seconds: whoever was stopped itself must not take that for the others' silence.
   * -> whether it is broken
   */
  look(all: readonly (GroupProgress | undefined)[]): boolean {
    const known = all.filter(progress => progress !== undefined);
    // Who is silent is not waiting, as far as one can tell: the heartbeat tells of him.
    if (known.length < all.length) return false;
    const now = known.map(({ sums }) => sums).join();
    if (now !== this.#before || known.some(({ waits }) => !waits)) this.#still = 0;
    else this.#still += 1;
    this.#before = now;
    const bytes = Math.max(...known.map(progress => progress.bytes));
    return this.#still >= MOST_STILL + Math.floor(bytes / SLOWEST_BYTES_PER_LOOK);
  }
}
