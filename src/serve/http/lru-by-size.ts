export interface LruLimits {
  readonly maxCount: number;
  /** Characters, summed up over all that is kept. */
  readonly maxChars: number;
  readonly maxAgeMs: number;
}

interface Entry<T> {
  readonly value: T;
  readonly chars: number;
  /** Milliseconds, by `now`. */
  readonly at: number;
}

/** Values in memory by the id of each, within limits: the oldest goes first, and what is too large is not kept. */
export class LruBySize<T> {
  readonly #limits: LruLimits;
  readonly #now: () => number;
  /** In the order they came. */
  readonly #entries = new Map<string, Entry<T>>();
  #chars = 0;

  constructor(limits: LruLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    this.#forgetOld();
    return this.#entries.size;
  }

  add(id: string, value: T, chars: number): void {
    const { maxCount, maxChars } = this.#limits;
    this.delete(id);
    this.#forgetOld();
    if (chars > maxChars) return;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < maxCount && this.#chars + chars <= maxChars) break;
      this.delete(oldest);
    }
    this.#entries.set(id, { value, chars, at: this.#now() });
    this.#chars += chars;
  }

  get(id: string): T | undefined {
    this.#forgetOld();
    return this.#entries.get(id)?.value;
  }

  /** Whether it was there. */
  delete(id: string): boolean {
    this.#chars -= this.#entries.get(id)?.chars ?? 0;
    return this.#entries.delete(id);
  }

  #forgetOld(): void {
    const oldest = this.#now() - this.#limits.maxAgeMs;
    for (const [id, { at }] of this.#entries) {
      if (at >= oldest) return;
      this.delete(id);
    }
  }
}
