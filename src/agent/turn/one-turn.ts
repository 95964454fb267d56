import { setTimeout as sleep } from 'node:timers/promises';
import { LlmHostError } from '../../errors.ts';

/** How long `close` waits for the turn: for a step of a large model, or a server that has to stop. */
const PATIENCE_MS = 1000;

/** How the turn stood when its conversation was closed; `none`: there was no turn, `late`: it still runs. */
export type LastTurn = 'none' | 'over' | 'late';

interface Running {
  readonly events: AsyncGenerator;
  readonly stop: AbortController;
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** Lets one turn run at a time: two would write into one history and take back each other's words. */
export class OneTurn {
  readonly #closing = new AbortController();
  #running: Running | undefined;

  /** Aborts when the conversation is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * The events of a turn. A reader that leaves before the last one aborts the turn's signal, and the rest of the turn
   * happens unread, so that what was begun comes to its end.
   * @throws LlmHostError USAGE while another turn runs, with the first event
   * @param onEvent sees each event before the reader does
   */
  run<T, R>(
    signal: AbortSignal | undefined,
    turn: (signal: AbortSignal) => AsyncGenerator<T, R>,
    onEvent?: (event: T) => void,
  ): AsyncGenerator<T, R> {
    const events: AsyncGenerator<T, R> = this.#run(() => events, signal, turn, onEvent);
    return events;
  }

  async *#run<T, R>(
    self: () => AsyncGenerator<T, R>,
    signal: AbortSignal | undefined,
    turn: (signal: AbortSignal) => AsyncGenerator<T, R>,
    onEvent: ((event: T) => void) | undefined,
  ): AsyncGenerator<T, R> {
    this.mustBeOver();
    const running = newRunning(self());
    this.#running = running;
    const signals = [this.closing, running.stop.signal];
    const events = turn(AbortSignal.any(signal ? [signal, ...signals] : signals));
    let ended = false;
    try {
      // Not `yield*`, which would end the turn where it stands when the reader leaves.
      for (let step = await events.next(); ; step = await events.next()) {
        ended = step.done === true;
        if (step.done) return step.value;
        onEvent?.(step.value);
        yield step.value;
      }
    } finally {
      if (!ended) running.stop.abort();
      try {
        while (!(await events.next()).done);
      } finally {
        this.#ended(running);
      }
    }
  }

  /** Ends the turn that runs, as its reader does by leaving, also if nobody reads it; resolves when it is over. */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    running.stop.abort();
    try {
      await running.events.return(undefined);
    } finally {
      // Its reader, if there still is one, gets the end as the next event.
      this.#ended(running);
    }
  }

  /** Cancels the turn for good, leaves its last events to its reader, and waits until it is over, but not for long. */
  async close(): Promise<LastTurn> {
    const running = this.#running;
    this.#closing.abort();
    if (running === undefined) return 'none';
    const late = sleep(PATIENCE_MS, 'late' as const, { ref: false });
    return await Promise.race([running.over.then(() => 'over' as const), late]);
  }

  mustBeOver(): void {
    if (this.#running === undefined) return;
    throw new LlmHostError('USAGE', 'A turn of this agent is already running', {
      hint: 'Read its events to the end, leave the loop over them, or call cancel() before the next one.',
    });
  }

  #ended(running: Running): void {
    running.end();
    if (this.#running === running) this.#running = undefined;
  }
}

function newRunning(events: AsyncGenerator): Running {
  let end = (): void => undefined;
  const over = new Promise<void>(resolve => {
    end = resolve;
  });
  return { events, stop: new AbortController(), over, end };
}
