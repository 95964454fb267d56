/** A value that is replaced, never changed, and tells when. */
export class Store<T extends object> {
  #state: T;
  readonly #listeners = new Set<() => void>();

  constructor(state: T) {
    this.#state = state;
  }

  get state(): T {
    return this.#state;
  }

  /** Replaces these fields. */
  set(news: Partial<T>): void {
    this.#state = { ...this.#state, ...news };
    for (const listener of this.#listeners) listener();
  }

  /** Call the result to unsubscribe. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}
