import type { Sampling } from '../../text/sampling/fields.ts';

/** Temperatures are rounded to thousandths. */
const PRECISION = 1000;
/** The least that makes a model say something else after an identical repeat. */
const MIN_NUDGE = 0.2;

export interface RetryOptions {
  /** Attempts after the first. Default 2. */
  readonly max?: number;
  /** How much each attempt lowers the temperature. Default 0.1. */
  readonly temperatureStep?: number;
}

/** Counts failed attempts at a call and decides how to sample the next one. */
export class RetryPlan {
  readonly #max: number;
  readonly #step: number;
  #attempts = 0;
  #last: string | undefined;
  #identical = false;
  #repeated = false;

  constructor({ max = 2, temperatureStep = 0.1 }: RetryOptions = {}) {
    this.#max = max;
    this.#step = temperatureStep;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get exhausted(): boolean {
    return this.#attempts > this.#max;
  }

  /** Whether the next attempt may be the same prompt again, held to the schemas: the first, if there is one. */
  get mayRepeat(): boolean {
    return this.#attempts === 0 && this.#max > 0;
  }

  /** The same prompt or text again, or the last attempt: words alone will not help. */
  get stuck(): boolean {
    return this.#repeated || this.#identical || (this.#attempts > 0 && this.#attempts >= this.#max);
  }

  /** @param repeated the next attempt is at the same prompt */
  failed(text: string, repeated = false): void {
    this.#attempts += 1;
    this.#repeated = repeated;
    this.#identical = text === this.#last;
    this.#last = text;
  }

  succeeded(): void {
    this.#attempts = 0;
    this.#last = undefined;
    this.#identical = false;
    this.#repeated = false;
  }

  /**
   * Each attempt is a little cooler. After an identical repeat it is warmer, since the same prompt at a lower
   * temperature would give the same text again; unless the call is `constrained`, which changes the text anyway.
   */
  sampling(base: Sampling, constrained = false): Sampling {
    if (this.#attempts === 0) return base;
    const temperature = base.temperature ?? 0;
    const next =
      this.#identical && !constrained
        ? temperature + Math.max(MIN_NUDGE, 2 * this.#step)
        : Math.max(0, temperature - this.#step * this.#attempts);
    return { ...base, temperature: Math.round(next * PRECISION) / PRECISION };
  }
}
