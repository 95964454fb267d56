import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnEvent } from '../../agent/events/turn-event.ts';

/** How long the end of a session waits for its turn: for a step of a large model, or a server that is told to stop. */
const PATIENCE_MS = 1000;

/** What has become of the turn that ran when a session was closed; `none`: none did, `late`: it still runs. */
export type LastTurn = 'none' | 'over' | 'late';

/** The turn that runs, which ends with the session. */
export class RunningTurn {
  readonly #closing = new AbortController();
  #over: Promise<void> | undefined;

  /** Passes on a turn, whose signal aborts when the session closes as well. Afterwards there is none. */
  async *run(
    signal: AbortSignal,
    turn: (signal: AbortSignal) => AsyncGenerator<TurnEvent>,
  ): AsyncGenerator<TurnEvent> {
    if (this.closed) return;
    let end = (): void => undefined;
    this.#over = new Promise(resolve => {
      end = resolve;
    });
    try {
      yield* turn(AbortSignal.any([signal, this.#closing.signal]));
    } finally {
      this.#over = undefined;
      end();
    }
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Cancels the turn, and waits until it is over, but not for long. */
  async close(): Promise<LastTurn> {
    const over = this.#over;
    this.#closing.abort();
    if (over === undefined) return 'none';
    const late = sleep(PATIENCE_MS, 'late' as const, { ref: false });
    return await Promise.race([over.then(() => 'over' as const), late]);
  }
}
