import { setTimeout as sleep } from 'node:timers/promises';

/** Work that is asked for more often than it need be done: requests that come close together are one. */
export class Coalesced {
  readonly #work: () => Promise<void>;
  readonly #pauseMs: number;
  #wanted = false;
  #running: Promise<void> | undefined;
  #disposed = false;

  /** `work` never rejects. It begins `pauseMs` after the first request, and never twice at once. */
  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work;
    this.#pauseMs = pauseMs;
  }

  request(): void {
    this.#wanted = true;
    this.#running ??= this.#run();
  }

  /** Begins nothing any more. */
  dispose(): void {
    this.#disposed = true;
  }

  async #run(): Promise<void> {
    while (this.#wanted && !this.#disposed) {
      await sleep(this.#pauseMs, undefined, { ref: false });
      this.#wanted = false;
      if (!this.#disposed) await this.#work();
    }
    this.#running = undefined;
  }
}
