import type { Duplex } from 'node:stream';
import { messageOf } from '../../errors.ts';
import { LineSplitter } from '../../text/line-splitter.ts';

/** The limit of one message: a prompt of a million tokens takes 7 MB. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface ChannelEvents {
  /** May throw Error, which closes the channel. */
  readonly onMessage: (message: unknown) => void;
  /** Once. `why`: what the other side did, for a sentence; undefined: this side has closed it. */
  readonly onClose: (why: string | undefined) => void;
}

/** Messages as lines of JSON over a connection. */
export class Channel {
  readonly #socket: Duplex;
  readonly #events: ChannelEvents;
  #closed = false;

  constructor(socket: Duplex, events: ChannelEvents) {
    this.#socket = socket;
    this.#events = events;
    const lines = new LineSplitter(MAX_MESSAGE_BYTES);
    socket.on('data', (chunk: Buffer) => this.#read(lines, chunk));
    socket.on('error', error => this.#end(`has broken the connection (${messageOf(error)})`));
    socket.on('close', () => this.#end('has closed the connection'));
  }

  /** Nothing once it is closed. */
  send(message: object): void {
    if (!this.#closed) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends what is queued first, as far as the other side takes it at once. */
  close(): void {
    if (this.#closed) return;
    this.#socket.end();
    this.#end(undefined);
  }

  #end(why: string | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    // Whoever does not take the end of the connection does not hold it open.
    setTimeout(() => this.#socket.destroy(), why === undefined ? 500 : 0).unref();
    this.#events.onClose(why);
  }

  #read(lines: LineSplitter, chunk: Buffer): void {
    for (const line of lines.push(chunk)) {
      if (this.#closed) return;
      try {
        if (line.type === 'oversized') throw new Error(`a message of ${line.bytes} bytes`);
        this.#events.onMessage(JSON.parse(line.text));
      } catch (error) {
        this.#end(`has sent what cannot be used: ${messageOf(error)}`);
        return;
      }
    }
    if (lines.pendingBytes > MAX_MESSAGE_BYTES) this.#end('has sent what cannot be used: an endless message');
  }
}

const BEAT_MS = 1000;
/** Silent beats in a row after which the other side counts as gone. */
const MOST_SILENT = 5;

/**
 * Tells when nothing has been heard for a while. Beats are counted, not seconds: whoever was stopped or busy itself must
 * not take that for the other side's silence.
 */
export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #silent = 0;

  /** @param onSilence called once, with the seconds */
  constructor(beat: () => void, onSilence: (seconds: number) => void, most = MOST_SILENT) {
    this.#timer = setInterval(() => {
      this.#silent += 1;
      if (this.#silent >= most) {
        this.stop();
        onSilence((most * BEAT_MS) / 1000);
      } else beat();
    }, BEAT_MS);
  }

  heard(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
