/** How long models and requests wait for each other, in milliseconds. */
export interface TurnLimits {
  /** A model has waited for room so long: requests for loaded ones then wait behind it. */
  readonly patienceMs: number;
  /** The longest that such a request waits behind it. */
  readonly mostHeldMs: number;
}

/**
 * The turn of a model for which there is no room yet. Steady requests for loaded models would keep all of them in use, so
 * after some time those that came later wait behind it.
 */
export class RoomTurn {
  readonly #limits: TurnLimits;
  /** `performance.now()` when the model was asked for. */
  #since: number | undefined;
  readonly #held = new Set<() => void>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** There is no room for a model that was asked for then. */
  begin(since: number): void {
    this.#since ??= since;
  }

  /** There is, or it is not waited for any longer. */
  end(): void {
    this.#since = undefined;
    for (const go of this.#held) go();
  }

  /** Whether a request for a loaded model, which came then, has to wait. */
  holds(came: number): boolean {
    return this.#holdMs(came) > 0;
  }

  /** Waits until it need not any longer, or `signal` aborts. */
  async passed(came: number, signal?: AbortSignal): Promise<void> {
    for (let ms = this.#holdMs(came); ms > 0 && !signal?.aborted; ms = this.#holdMs(came))
      await this.#endedWithin(ms, signal);
  }

  #holdMs(came: number): number {
    if (this.#since === undefined || came <= this.#since) return 0;
    const now = performance.now();
    if (now - this.#since < this.#limits.patienceMs) return 0;
    return Math.max(0, came + this.#limits.mostHeldMs - now);
  }

  #endedWithin(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise(resolve => {
      const go = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', go);
        this.#held.delete(go);
        resolve();
      };
      const timer = setTimeout(go, Math.ceil(ms));
      signal?.addEventListener('abort', go);
      this.#held.add(go);
    });
  }
}
