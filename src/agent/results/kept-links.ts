const MAX_LINKS = 100;

/** The links in the results of one conversation, each with the server that gave it. */
export class KeptLinks {
  /** Servers by address, the latest last. */
  readonly #links = new Map<string, string>();

  /** The oldest goes if there are too many. */
  keep(uri: string, server: string): void {
    this.#links.delete(uri);
    this.#links.set(uri, server);
    const oldest = this.#links.size > MAX_LINKS ? this.#links.keys().next().value : undefined;
    if (oldest !== undefined) this.#links.delete(oldest);
  }

  serverOf(uri: string): string | undefined {
    return this.#links.get(uri);
  }

  all(): readonly (readonly [uri: string, server: string])[] {
    return [...this.#links];
  }

  get isEmpty(): boolean {
    return this.#links.size === 0;
  }

  clear(): void {
    this.#links.clear();
  }
}
