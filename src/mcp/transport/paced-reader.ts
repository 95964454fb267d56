import type { Readable } from 'node:stream';

/** How long one stream may keep the event loop before the others have their turn. */
const SLICE_MS = 8;
/** As many messages handed on at once, since what they lead to runs only after them. */
export const SLICE_MESSAGES = 64;
/** After a round of the loop this long with fewer messages, which are large, */
const LONG_ROUND_MS = 25;
/** others have it for as long as a call and its answer take, which is a few rounds. */
const PAUSE_MS = 20;

/** How long a stream waits, in milliseconds, after a round of the event loop in which it handed on few messages. */
export function pauseAfter(tookMs: number): number {
  return tookMs < LONG_ROUND_MS ? 0 : PAUSE_MS;
}

/**
 * Works through a stream in slices, so that a server that floods its host leaves the event loop to others after a few
 * milliseconds, or after one message if that takes longer.
 */
export class PacedReader {
  readonly #stream: Readable;
  /** The unread rest of the chunk. */
  #rest: Iterator<unknown> | undefined;
  /** When this round of the event loop began for this stream. */
  #began: number | undefined;
  #messages = 0;
  #over = false;
  #rushing = false;

  /** `work` does one item of a chunk for each step. */
  constructor(stream: Readable, work: (chunk: Buffer) => Iterator<unknown>) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.#rest = work(chunk);
      this.#continue();
    });
  }

  /** A message was handed on. */
  noteMessage(): void {
    this.#messages += 1;
  }

  /** The other side is gone, and what it left is bounded: read it without pauses. */
  rush(): void {
    this.#rushing = true;
  }

  /** Reads what is left of the last chunk at once: a stream may end before it. */
  drain(): void {
    while (this.#rest?.next().done === false);
    this.#rest = undefined;
  }

  #continue(): void {
    if (this.#began === undefined) {
      this.#began = performance.now();
      this.#messages = 0;
      setImmediate(() => this.#endRound());
    }
    while (this.#rest?.next().done === false) {
      if (this.#messages < SLICE_MESSAGES && performance.now() - this.#began < SLICE_MS) continue;
      this.#over = true;
      this.#stream.pause();
      return;
    }
    this.#rest = undefined;
    this.#stream.resume();
  }

  /** By now the handlers of what was read have run as well. */
  #endRound(): void {
    const took = performance.now() - (this.#began ?? 0);
    this.#began = undefined;
    if (!this.#over) return;
    this.#over = false;
    const pause = this.#rushing || this.#messages >= SLICE_MESSAGES ? 0 : pauseAfter(took);
    if (pause === 0) this.#continue();
    else setTimeout(() => this.#continue(), pause);
  }
}
