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
  /** Waits for a slot of the engine; undefined once `signal` aborts. Call what it returns to free the slot. */
  acquire(signal?: AbortSignal): Promise<(() => void) | undefined>;
  /** How many go first while this one waits; undefined: it does not wait. */
  ahead(): number | undefined;
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
 * Runs some generations at a time. Each client has a lane, and lanes take turns; within a lane, first come, first
 * served. A request keeps its place over all its generations, and holds one of the engine's slots only during one.
 */
export class GenerationQueue {
  readonly #places: number;
  readonly #held = new Map<string, number>();
  /** In the order they are served. */
  readonly #lanes = new Map<string, Waiter[]>();
  readonly #slots: number;
  #admitted = 0;
  #running = 0;
  #meanSeconds = 1;

  /** `places`: requests at a time, including running ones; `slots`: generations at a time. Both at least 1. */
  constructor(places: number, slots = 1) {
    this.#places = places;
    this.#slots = slots;
  }

  get admitted(): number {
    return this.#admitted;
  }

  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.length, 0);
  }

  /** Generations under way. */
  get running(): number {
    return this.#running;
  }

  /** @throws QueueFull */
  admit(lane: string): Place {
    const held = this.#held.get(lane) ?? 0;
    const open = held === 0 ? this.#places : Math.ceil(this.#places * (1 - RESERVED));
    if (this.#admitted >= open) throw new QueueFull(this.#retryAfter());
    this.#admitted += 1;
    this.#held.set(lane, held + 1);
    let left = false;
    let waiter: Waiter | undefined;
    return {
      acquire: signal =>
        this.#acquire(lane, signal, one => {
          waiter = one;
        }),
      ahead: () => waiter && this.#ahead(lane, waiter),
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

  async #acquire(
    lane: string,
    signal: AbortSignal | undefined,
    onWait: (waiter: Waiter) => void,
  ): Promise<(() => void) | undefined> {
    if (signal?.aborted) return undefined;
    if (this.#running < this.#slots) this.#running += 1;
    else if (!(await this.#wait(lane, signal, onWait))) return undefined;
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

  /** False once `signal` aborts. A slot passes from holder to holder without becoming free. */
  #wait(lane: string, signal: AbortSignal | undefined, onWait: (waiter: Waiter) => void): Promise<boolean> {
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
      onWait(waiter);
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
      this.#running -= 1;
      return;
    }
    const [lane, [waiter, ...rest]] = first;
    // Maps keep insertion order: the lane moves to the end.
    this.#lanes.delete(lane);
    if (rest.length > 0) this.#lanes.set(lane, rest);
    waiter?.start();
  }

  /**
   * Counts the requests that are served before `waiter`. Lanes take turns, so each other lane adds at most as many as
   * the waiter's own.
   */
  #ahead(lane: string, waiter: Waiter): number | undefined {
    const before = this.#lanes.get(lane)?.indexOf(waiter) ?? -1;
    if (before < 0) return undefined;
    const lanes = [...this.#lanes];
    const own = lanes.findIndex(([name]) => name === lane);
    return lanes.reduce(
      (sum, [name, line], index) =>
        sum + (name === lane ? before : Math.min(line.length, index < own ? before + 1 : before)),
      0,
    );
  }

  #retryAfter(): number {
    const seconds = (this.#meanSeconds * (this.waiting + 1)) / this.#slots;
    return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(seconds)));
  }
}
