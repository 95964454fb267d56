/** Every place is taken. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('All places in the queue are taken');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A request's place in the queue, kept for all its generations. */
export interface Place {
  /** Waits for the engine; undefined once `signal` aborts. Call what it returns to free the engine. */
  acquire(signal?: AbortSignal): Promise<(() => void) | undefined>;
  /** Gives up the place. Idempotent. */
  leave(): void;
}

interface Waiter {
  readonly start: () => void;
}

/** Share of the places reserved for lanes without any, so that one client cannot fill the queue. */
const RESERVED = 1 / 8;
const MAX_RETRY_SECONDS = 120;
/** Weight of the latest generation in the mean. */
const SMOOTHING = 0.2;

/**
 * Runs one generation at a time. Each client has a lane, and lanes take turns; within a lane, first come, first
 * served. A request keeps its place over all its generations, and holds the engine only during one.
 */
export class GenerationQueue {
  readonly #places: number;
  readonly #held = new Map<string, number>();
  /** In the order they are served. */
  readonly #lanes = new Map<string, Waiter[]>();
  #admitted = 0;
  #busy = false;
  #meanSeconds = 1;

  /** `places`: requests at a time, including the running one; at least 1. */
  constructor(places: number) {
    this.#places = places;
  }

  get admitted(): number {
    return this.#admitted;
  }

  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.length, 0);
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** @throws QueueFull */
  admit(lane: string): Place {
    const held = this.#held.get(lane) ?? 0;
    const open = held === 0 ? this.#places : Math.ceil(this.#places * (1 - RESERVED));
    if (this.#admitted >= open) throw new QueueFull(this.#retryAfter());
    this.#admitted += 1;
    this.#held.set(lane, held + 1);
    let left = false;
    return {
      acquire: signal => this.#acquire(lane, signal),
      leave: () => {
        if (left) return;
        left = true;
        this.#admitted -= 1;
        const rest = (this.#held.get(lane) ?? 1) - 1;
        if (rest === 0) this.#held.delete(lane);
        else this.#held.set(lane, rest);
      },
    };
  }

  async #acquire(lane: string, signal: AbortSignal | undefined): Promise<(() => void) | undefined> {
    if (signal?.aborted) return undefined;
    if (this.#busy && !(await this.#wait(lane, signal))) return undefined;
    this.#busy = true;
    const started = performance.now();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const seconds = (performance.now() - started) / 1000;
      this.#meanSeconds += SMOOTHING * (seconds - this.#meanSeconds);
      this.#next();
    };
  }

  /** False once `signal` aborts. The engine passes from holder to holder without becoming free. */
  #wait(lane: string, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise(resolve => {
      const settle = (won: boolean) => {
        signal?.removeEventListener('abort', abort);
        resolve(won);
      };
      const waiter = { start: () => settle(true) };
      const abort = () => {
        this.#remove(lane, waiter);
        settle(false);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const line = this.#lanes.get(lane);
      if (line) line.push(waiter);
      else this.#lanes.set(lane, [waiter]);
    });
  }

  #remove(lane: string, waiter: Waiter): void {
    const rest = (this.#lanes.get(lane) ?? []).filter(one => one !== waiter);
    if (rest.length === 0) this.#lanes.delete(lane);
    else this.#lanes.set(lane, rest);
  }

  #next(): void {
    const [first] = this.#lanes;
    if (first === undefined) {
      this.#busy = false;
      return;
    }
    const [lane, [waiter, ...rest]] = first;
    // Maps keep insertion order: the lane moves to the end.
    this.#lanes.delete(lane);
    if (rest.length > 0) this.#lanes.set(lane, rest);
    waiter?.start();
  }

  #retryAfter(): number {
    return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(this.#meanSeconds * (this.waiting + 1))));
  }
}
