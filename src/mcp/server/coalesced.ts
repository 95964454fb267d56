import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` on request; requests close together run it once. */
export class Coalesced {
  readonly #work: () => Promise<void>;
  readonly #pauseMs: number;
  #wanted = false;
  #running: Promise<void> | undefined;
  #disposed = false;

  /** `work` never rejects. It starts `pauseMs` after the first request, and never runs twice at once. */
  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work;
    this.#pauseMs = pauseMs;
  }

  request(): void {
    this.#wanted = true;
    this.#running ??= this.#run();
  }

  /** Starts nothing more. */
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
