import { isDeepStrictEqual } from 'node:util';
import type { FooterInfo } from './screen-state.ts';

const PAUSE_MS = 1000;

/**
 * The footer of a reply that streams: where only the use of the context has changed, a new one comes once a second. Each
 * costs a layout by Ink, and every token changes it.
 */
export class ThrottledFooter {
  readonly #read: () => FooterInfo;
  #last: FooterInfo | undefined;
  #lastAt = 0;

  constructor(read: () => FooterInfo) {
    this.#read = read;
  }

  /** @param streams a turn runs */
  at(now: number, streams: boolean): FooterInfo {
    const next = this.#read();
    const last = this.#last;
    if (last && streams && now - this.#lastAt < PAUSE_MS && now >= this.#lastAt) {
      if (isDeepStrictEqual({ ...next, contextUsed: last.contextUsed }, last)) return last;
    }
    this.#last = next;
    this.#lastAt = now;
    return next;
  }
}
