import { once } from 'node:events';
import type { JsonEvent } from './events.ts';

/** Writes one timestamped JSON event per line; waits for a slow reader to catch up. */
export class EventWriter {
  readonly #out: NodeJS.WritableStream;
  readonly #now: () => Date;
  #ended = false;

  constructor(out: NodeJS.WritableStream, now: () => Date = () => new Date()) {
    this.#out = out;
    this.#now = now;
  }

  /** Nothing, once the stream has ended. */
  async write(event: JsonEvent): Promise<void> {
    if (this.#ended) return;
    const { type, ...fields } = event;
    const line = JSON.stringify({ type, time: this.#now().toISOString(), ...fields });
    if (!this.#out.write(`${line}\n`)) await this.#drained();
  }

  /** Or the reader is gone, which the stream tells its other listeners: nothing more is written then. */
  async #drained(): Promise<void> {
    await once(this.#out, 'drain').catch(() => {
      this.#ended = true;
    });
  }

  /** The last event, unless there has been one. */
  async end(code: number): Promise<void> {
    const written = this.write({ type: 'end', code });
    this.#ended = true;
    await written;
  }
}
