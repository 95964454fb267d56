import type { ServerResponse } from 'node:http';

export interface StreamLimits {
  /** Bytes that a client may leave unread before it is cut off. */
  readonly maxUnread: number;
  /** Milliseconds without reading anything, after which it is. */
  readonly stallMs: number;
}

/**
 * A streamed answer. Writing never waits: a reader that is slow must not hold the engine, so what it has not read is
 * kept, up to a limit. The head goes out with the first piece.
 */
export class ResponseStream {
  readonly #raw: ServerResponse;
  readonly #contentType: string;
  readonly #limits: StreamLimits;
  #stall: NodeJS.Timeout | undefined;

  constructor(raw: ServerResponse, contentType: string, limits: StreamLimits) {
    this.#raw = raw;
    this.#contentType = contentType;
    this.#limits = limits;
    raw.on('drain', () => this.#clearStall());
    raw.on('close', () => this.#clearStall());
  }

  get begun(): boolean {
    return this.#raw.headersSent;
  }

  /** '' writes nothing. After the reader is gone this does nothing. */
  write(text: string): void {
    if (text === '' || this.#raw.destroyed) return;
    if (!this.#raw.headersSent) {
      this.#raw.writeHead(200, { 'content-type': this.#contentType, 'cache-control': 'no-store' });
    }
    if (!this.#raw.write(text)) this.#watch();
    if (this.#raw.writableLength > this.#limits.maxUnread) this.#raw.destroy();
  }

  end(): void {
    if (this.#raw.destroyed) return;
    this.#raw.end();
    this.#watch();
  }

  #watch(): void {
    this.#stall ??= setTimeout(() => this.#raw.destroy(), this.#limits.stallMs).unref();
  }

  #clearStall(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }
}
