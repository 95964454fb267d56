const NAMES = ['log', 'info', 'warn', 'error', 'debug'] as const;

/** Takes what is printed by console: a library that prints what strangers wrote hands it to the terminal as it stands. */
export class ConsoleWatch {
  readonly #saved = NAMES.map(name => console[name]);
  #printed: string | undefined;

  constructor() {
    for (const name of NAMES) {
      console[name] = (...words: unknown[]) => {
        this.#printed ??= `console.${name} was called: ${JSON.stringify(words).slice(0, 200)}`;
      };
    }
  }

  /** @throws Error if something was printed since the last check */
  check(): void {
    const printed = this.#printed;
    this.#printed = undefined;
    if (printed !== undefined) throw new Error(printed);
  }

  close(): void {
    NAMES.forEach((name, index) => {
      console[name] = this.#saved[index] as (typeof console)[typeof name];
    });
  }
}
