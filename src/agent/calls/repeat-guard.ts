import type { CallRecord } from './run-tools.ts';

/** Rounds in a row with the same calls and the same results after which the user is told, and told again. */
const REPEATS = [3, 10, 25, 50];
/** Rounds of calls in one turn after which the user is told that it goes on, each time. */
const ROUNDS = 25;

/** Notices a model that makes the same calls with the same results over and over, or goes on calling without end. */
export class RepeatGuard {
  #last = '';
  #count = 0;
  #rounds = 0;

  /** What the user should know, who may cancel; undefined while all is well. The turn is never ended here. */
  check(records: readonly CallRecord[]): string | undefined {
    this.#rounds++;
    const key = JSON.stringify(records.map(({ call, content }) => [call.function, content]));
    this.#count = records.length > 0 && key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    if (REPEATS.includes(this.#count)) {
      return `The model made the same call with the same result ${this.#count} times in a row.`;
    }
    if (this.#rounds % ROUNDS === 0) {
      return `The model has called tools ${this.#rounds} times in this turn and goes on.`;
    }
    return undefined;
  }
}
