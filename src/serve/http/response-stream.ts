import type { ServerResponse } from 'node:http';

/** The content type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface StreamLimits {
  /** Bytes that a client may leave unread before the connection is closed. */
  readonly maxUnread: number;
  /** Milliseconds in which it takes nothing of them before it is. */
  readonly stallMs: number;
}

/** Bytes in a millisecond that the slowest line brings. */
const SLOWEST = 64;

/**
 * A streamed response. Writing never waits, since a slow reader must not hold the engine: unread data is buffered up
 * to a limit. The head goes out with the first piece.
 */
export class ResponseStream {
  readonly #raw: ServerResponse;
  readonly #contentType: string;
  readonly #limits: StreamLimits;
  /** Bytes that the client had not read after the last piece. */
  #unread = 0;
  /** When something of it had gone out at the latest, and how much the client had sent by then. */
  #takenAt = performance.now();
  #heard = 0;

  constructor(raw: ServerResponse, contentType: string, limits: StreamLimits) {
    this.#raw = raw;
    this.#contentType = contentType;
    this.#limits = limits;
    // Behind a fast stream a slow reader never gets to the end, so no event of ours would tell; Node's own timer knows
    // whether anything has gone out.
    raw.setTimeout(limits.stallMs, () => {
      if (raw.writableLength > 0) raw.destroy();
    });
  }

  get begun(): boolean {
    return this.#raw.headersSent;
  }

  /** Does nothing for '' or once the reader is gone. */
  write(text: string): void {
    if (text === '' || this.#raw.destroyed) return;
    // Before it is written: a piece may be larger than all that may be left unread, and nobody could have read it yet.
    if (this.#raw.writableLength > this.#limits.maxUnread || this.#takesNothing()) {
      this.#raw.destroy();
      return;
    }
    if (!this.#raw.headersSent) {
      this.#raw.writeHead(200, { 'content-type': this.#contentType, 'cache-control': 'no-store' });
    }
    this.#raw.write(text);
    this.#unread = this.#raw.writableLength;
  }

  /**
   * For a client that keeps sending, which Node's timer takes for a sign of life. What is being sent counts as unread until
   * all of it has gone out, so a slow line gets its time for that.
   */
  #takesNothing(): boolean {
    const { socket, writableLength } = this.#raw;
    // Without a socket, the response waits behind another one.
    if (!socket || writableLength === 0 || writableLength < this.#unread) {
      this.#takenAt = performance.now();
      this.#heard = socket?.bytesRead ?? 0;
      return false;
    }
    const ms = this.#limits.stallMs + writableLength / SLOWEST;
    return socket.bytesRead > this.#heard && performance.now() - this.#takenAt > ms;
  }

  end(): void {
    if (this.#raw.destroyed) return;
    endUnread(this.#raw, this.#raw.writableLength, this.#limits.stallMs);
    this.#raw.end();
  }
}

/**
 * For a response of which all `bytes` that are left are being sent: a client that reads nothing of them for `ms`, or hardly
 * anything, does not keep them in memory, nor its connection.
 */
export function endUnread(response: ServerResponse, bytes: number, ms: number): void {
  const end = () => response.destroy();
  // Node's own: it knows whether anything of what is being written has gone out.
  response.setTimeout(ms, end);
  // Before Node's listener, which sets the time that the connection may be idle.
  response.prependOnceListener('finish', () => response.setTimeout(0));
  const timer = setTimeout(end, ms + bytes / SLOWEST).unref();
  response.once('close', () => clearTimeout(timer));
}
