import type { TurnEvent } from '../../agent/events/turn-event.ts';

/** How many tokens of the context the conversation takes; follows a reply as it grows. */
export class ContextUse {
  readonly #count: () => number;
  /** undefined: nobody has asked since the conversation changed. */
  #tokens: number | undefined;

  /** @param count counts the tokens of the conversation as it stands */
  constructor(count: () => number) {
    this.#count = count;
  }

  get tokens(): number {
    this.#tokens ??= this.#count();
    return this.#tokens;
  }

  note(event: TurnEvent): void {
    if (event.type === 'prefill') this.#tokens = event.total;
    else if (event.type === 'token' || event.type === 'thinking') this.#tokens = this.tokens + 1;
    else if (event.type === 'stats' && !event.summary)
      this.#tokens = event.stats.promptTokens + event.stats.generatedTokens;
    // The history is as it was before the turn.
    else if (event.type === 'error') this.changed();
  }

  /** The conversation is longer, shorter or another one. */
  changed(): void {
    this.#tokens = undefined;
  }
}
