import { LlmHostError } from '../../errors.ts';
import { untilLeft } from './until-left.ts';

interface Running {
  readonly events: AsyncGenerator;
  readonly stop: AbortController;
}

/** Lets one turn of a conversation run at a time: two would write into one history, and take back each other's words. */
export class OneTurn {
  #running: Running | undefined;

  /** The same events, of a turn until it is left. @throws LlmHostError USAGE while another turn runs, with the first event */
  async *run<T, R>(
    signal: AbortSignal | undefined,
    turn: (signal: AbortSignal) => AsyncGenerator<T, R>,
  ): AsyncGenerator<T, R> {
    this.mustBeOver();
    const stop = new AbortController();
    const events = untilLeft(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal, turn);
    const running = { events, stop };
    this.#running = running;
    try {
      return yield* events;
    } finally {
      this.#ended(running);
    }
  }

  /** Ends the turn that runs, read or not, as its reader does by leaving; resolves when it is over. */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    running.stop.abort();
    try {
      await running.events.return(undefined);
    } finally {
      // Its reader, if there still is one, learns it from the next event, which is the end.
      this.#ended(running);
    }
  }

  mustBeOver(): void {
    if (this.#running === undefined) return;
    throw new LlmHostError('USAGE', 'A turn of this agent is under way', {
      hint: 'Read its events to the end, leave the loop over them, or call cancel() before the next one.',
    });
  }

  #ended(running: Running): void {
    if (this.#running === running) this.#running = undefined;
  }
}
