/** What one of several sources running side by side has to say, kept until it is read. */
export class EventQueue<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** All that was pushed until `work` settled, as it comes; returns (or throws) what `work` does. */
  async *during<R>(work: Promise<R>): AsyncGenerator<T, R> {
    let settled = false;
    const end = (): void => {
      settled = true;
      this.#wake?.();
    };
    work.then(end, end);
    while (true) {
      const items = this.#items;
      this.#items = [];
      yield* items;
      if (this.#items.length > 0) continue;
      if (settled) return await work;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
