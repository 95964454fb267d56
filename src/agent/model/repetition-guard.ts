/** Tokens of an n-gram. Shorter ones repeat as one of these too: `a a a` has period 3. */
const MIN_PERIOD = 3;
const MAX_PERIOD = 30;
/** How many of the last tokens must be repetitions of one n-gram. */
const WINDOW = 200;

/**
 * Notices a reply that will never end: its last 200 tokens are one n-gram of at most 30 tokens over and over. Takes 28
 * comparisons a token and keeps 30 tokens.
 */
export class RepetitionGuard<Token extends string | number> {
  /** The last 30 tokens; token `i` at `i % 30`. */
  readonly #last: Token[] = [];
  /** By period: how many tokens in a row equal the one a period before. */
  readonly #runs = new Array<number>(MAX_PERIOD + 1).fill(0);
  #count = 0;

  /** True once the reply repeats itself without end. */
  push(token: Token): boolean {
    let endless = false;
    for (let period = MIN_PERIOD; period <= MAX_PERIOD; period++) {
      const same = this.#count >= period && this.#last[(this.#count - period) % MAX_PERIOD] === token;
      const run = same ? (this.#runs[period] as number) + 1 : 0;
      this.#runs[period] = run;
      if (run >= WINDOW - period) endless = true;
    }
    this.#last[this.#count % MAX_PERIOD] = token;
    this.#count += 1;
    return endless;
  }
}
