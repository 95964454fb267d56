import { once } from 'node:events';
import type { JsonEvent } from './events.ts';

/** Writes one timestamped JSON event per line; waits for a slow reader to catch up. */
export class EventWriter {
  readonly #out: NodeJS.WritableStream;
  readonly #now: () => Date;

  constructor(out: NodeJS.WritableStream, now: () => Date = () => new Date()) {
    this.#out = out;
    this.#now = now;
  }

  async write(event: JsonEvent): Promise<void> {
    const { type, ...fields } = event;
    const line = JSON.stringify({ type, time: this.#now().toISOString(), ...fields });
    if (!this.#out.write(`${line}\n`)) await once(this.#out, 'drain');
  }
}
