import type { Sampling } from '../../text/sampling/fields.ts';

/** Temperatures are rounded to a thousandth. */
const PRECISION = 1000;
/** What an identical repeat needs at least, to say something else. */
const MIN_NUDGE = 0.2;

export interface RetryOptions {
  /** Attempts after the first. Default 2. */
  readonly max?: number;
  /** By how much each attempt lowers the temperature. Default 0.1. */
  readonly temperatureStep?: number;
}

/** Counts the failed attempts at one call and says how the next one is sampled. */
export class RetryPlan {
  readonly #max: number;
  readonly #step: number;
  #attempts = 0;
  #last: string | undefined;
  #identical = false;

  constructor({ max = 2, temperatureStep = 0.1 }: RetryOptions = {}) {
    this.#max = max;
    this.#step = temperatureStep;
  }

  /** Failed attempts so far. */
  get attempts(): number {
    return this.#attempts;
  }

  get exhausted(): boolean {
    return this.#attempts > this.#max;
  }

  /** The same words again, or the last attempt: more than words is needed. */
  get stuck(): boolean {
    return this.#identical || (this.#attempts > 0 && this.#attempts >= this.#max);
  }

  /** Notes a failed attempt by its text. */
  failed(text: string): void {
    this.#attempts += 1;
    this.#identical = text === this.#last;
    this.#last = text;
  }

  succeeded(): void {
    this.#attempts = 0;
    this.#last = undefined;
    this.#identical = false;
  }

  /**
   * Each attempt is a little cooler than the one before; after an identical repeat warmer, since the same prompt at a
   * lower temperature says the same again: unless the call is `held` to its schema, which changes what it says.
   */
  sampling(base: Sampling, held = false): Sampling {
    if (this.#attempts === 0) return base;
    const temperature = base.temperature ?? 0;
    const next =
      this.#identical && !held
        ? temperature + Math.max(MIN_NUDGE, 2 * this.#step)
        : Math.max(0, temperature - this.#step * this.#attempts);
    return { ...base, temperature: Math.round(next * PRECISION) / PRECISION };
  }
}
