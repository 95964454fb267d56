import { DemandedValue, endsObject } from './demanded-value.ts';

/**
 * Whether a call is in doubt: a small model that calls too readily leaves out what nobody told it, and then invents what
 * the schema demands. Each such value has to be as likely as a call at the beginning of a reply has to be.
 */
export class CallDoubt {
  /** Natural log of the least probability. */
  readonly #least: number;
  #value: DemandedValue | undefined;
  #isRaised = false;

  /** @param confidence the least probability, above 0 */
  constructor(confidence: number) {
    this.#least = Math.log(confidence);
  }

  get isRaised(): boolean {
    return this.#isRaised;
  }

  /** A value is being read, whose tokens need their log-probabilities. */
  get isReading(): boolean {
    return this.#value !== undefined;
  }

  /** The grammar did not allow this token of the model's. */
  refused(text: string): void {
    if (!endsObject(text)) return;
    // The value before it was demanded as well, and ends here.
    this.#judge();
    this.#value = new DemandedValue(text);
  }

  /** A token of the call, with its log-probability if the model chose it. */
  added(text: string, logprob: number | undefined): void {
    this.#value?.push(text, logprob);
    if (this.#value?.isOver) this.#judge();
  }

  #judge(): void {
    this.#isRaised ||= this.#value !== undefined && this.#value.logprob < this.#least;
    this.#value = undefined;
  }
}
