import { availableParallelism } from 'node:os';

/** A server that has not answered by then waits for something other than the processor. */
const HOLD_MS = 1500;

/**
 * Lets as many local servers start at once as there are cores, so that each is up soon rather than all late. One that is
 * slow gives its place to the next after a while and goes on beside it.
 */
export class StartSlots {
  #free: number;
  readonly #holdMs: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count = Math.max(2, availableParallelism()), holdMs = HOLD_MS) {
    this.#free = count;
    this.#holdMs = holdMs;
  }

  /** Runs `work` once there is a place, or when `signal` aborts. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const release = await this.#place(signal);
    const timer = setTimeout(release, this.#holdMs);
    timer.unref();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async #place(signal: AbortSignal): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else if (!(await this.#turn(signal))) return () => undefined;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    };
  }

  /** False: `signal` aborted first. */
  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise(resolve => {
      const leave = (): void => {
        const at = this.#waiting.indexOf(enter);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(false);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      if (signal.aborted) return leave();
      this.#waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
