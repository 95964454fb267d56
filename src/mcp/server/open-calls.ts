import type { CallHooks } from './connection.ts';

/** The calls that wait for a server. What it asks meanwhile may belong to any of them: the older era does not say. */
export class OpenCalls {
  readonly #tell = new Set<(waiting: boolean) => void>();
  #cancelled = new AbortController();
  #asking = false;

  /** Aborts when the last of them is cancelled; undefined: there are none. */
  get signal(): AbortSignal | undefined {
    return this.#tell.size > 0 ? this.#cancelled.signal : undefined;
  }

  /** The user is asked something, or no longer. */
  setAsking(asking: boolean): void {
    this.#asking = asking;
    for (const tell of this.#tell) tell(asking);
  }

  /** Runs a part of a call, which is told of its waiting for the user, also where that has begun before. */
  async during<T>({ signal, onWaiting }: CallHooks, work: () => Promise<T>): Promise<T> {
    if (onWaiting !== undefined) {
      this.#tell.add(onWaiting);
      if (this.#asking) onWaiting(true);
    }
    try {
      return await work();
    } finally {
      if (onWaiting !== undefined) {
        this.#tell.delete(onWaiting);
        if (this.#asking) onWaiting(false);
      }
      // What a server asked during its calls is of no use to it once the last of them is cancelled.
      if (signal.aborted && this.#tell.size === 0) this.#renew();
    }
  }

  #renew(): void {
    this.#cancelled.abort();
    this.#cancelled = new AbortController();
  }
}
