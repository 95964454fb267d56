import type { CallRecord } from './run-tools.ts';

/** Rounds in a row with the same calls and the same results after which a turn is taken to be stuck. */
const STUCK_AFTER = 8;

/** Notices a model that makes the same calls with the same results over and over. */
export class RepeatGuard {
  #last = '';
  #count = 0;

  /** The reason to end the turn, or undefined. */
  check(records: readonly CallRecord[]): string | undefined {
    const key = JSON.stringify(records.map(({ call, content }) => [call.function, content]));
    this.#count = records.length > 0 && key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    if (this.#count < STUCK_AFTER) return undefined;
    return `The model made the same call with the same result ${STUCK_AFTER} times; the turn ends here.`;
  }
}
