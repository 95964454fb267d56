/** What running tools report, kept until it is read. */
export class ToolProgress<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Yields everything pushed until `work` settles, as it arrives; then returns (or throws) what `work` did. */
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
