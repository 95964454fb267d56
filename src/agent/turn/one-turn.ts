import { LlmHostError } from '../../errors.ts';

/** Lets one turn of a conversation run at a time: two would write into one history, and take back each other's words. */
export class OneTurn {
  #running = false;

  /** The same events. @throws LlmHostError USAGE while another turn runs, with the first event */
  async *run<T, R>(turn: () => AsyncGenerator<T, R>): AsyncGenerator<T, R> {
    this.mustBeOver();
    this.#running = true;
    try {
      return yield* turn();
    } finally {
      this.#running = false;
    }
  }

  mustBeOver(): void {
    if (!this.#running) return;
    throw new LlmHostError('USAGE', 'A turn of this agent is under way', {
      hint: 'Read its events to the end, or leave the loop over them, before the next one.',
    });
  }
}
