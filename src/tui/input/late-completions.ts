import type { Completion } from './complete.ts';

/** Milliseconds without a key before a server is asked. */
const PAUSE_MS = 200;

export interface LateCompletionsOptions {
  /** How to find completions for what is typed up to the cursor; undefined: there are none that take time. */
  readonly find: (
    text: string,
    cursor: number,
  ) => ((signal: AbortSignal) => Promise<Completion | undefined>) | undefined;
  /** Called if nothing was typed meanwhile. `asked`: Tab was pressed. */
  readonly show: (found: Completion, asked: boolean) => void;
  readonly pauseMs?: number;
}

/** Completions that take time: looked for when typing pauses, or at once on Tab; the next key gives the search up. */
export class LateCompletions {
  readonly #options: LateCompletionsOptions;
  #seen = { text: '', cursor: 0 };
  #search: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LateCompletionsOptions) {
    this.#options = options;
  }

  /** Called with the prompt's text after each key. */
  look(text: string, cursor: number, asked: boolean): void {
    if (!asked && text === this.#seen.text && cursor === this.#seen.cursor) return;
    this.close();
    this.#seen = { text, cursor };
    const find = this.#options.find(text, cursor);
    if (find === undefined) return;
    const { pauseMs = PAUSE_MS } = this.#options;
    this.#timer = setTimeout(() => void this.#run(find, asked), asked ? 0 : pauseMs);
    this.#timer.unref();
  }

  /** Gives up what is looked for. */
  close(): void {
    clearTimeout(this.#timer);
    this.#search?.abort();
    this.#search = undefined;
  }

  async #run(find: (signal: AbortSignal) => Promise<Completion | undefined>, asked: boolean): Promise<void> {
    const search = new AbortController();
    this.#search = search;
    const found = await find(search.signal).catch(() => undefined);
    if (found !== undefined && !search.signal.aborted) this.#options.show(found, asked);
  }
}
