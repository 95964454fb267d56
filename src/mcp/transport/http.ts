import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { HttpServerConfig } from '../config/types.ts';
import type { OAuthSession } from '../oauth/session.ts';
import { GuardedFetch } from './guarded-fetch.ts';
import type { ServerTransport } from './server-transport.ts';

/** A lost stream is taken up again, with Last-Event-ID, after these waits, unless the server names another. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 5,
};
/** A server that does not answer the end of its session is left all the same. */
const GOODBYE_MS = 500;
/** A server that asks for another authorisation each time is not obeyed for ever. */
const MAX_AUTHORIZATIONS = 2;

type Inner = StreamableHTTPClientTransport | SSEClientTransport;

/**
 * A server behind an address: Streamable HTTP, and where it answers the first message with a refusal that means
 * "not spoken here", the older HTTP+SSE. The SDK's transports do the protocol; this adds the guarded `fetch`, the
 * fallback, a session that the server has forgotten, and the login.
 */
export class HttpTransport implements ServerTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderrTail = '';
  readonly pid = undefined;

  readonly #config: HttpServerConfig;
  readonly #http: GuardedFetch;
  readonly #auth: OAuthSession | undefined;
  readonly #onLog: (line: string) => void;
  #inner: Inner;
  /** An answer has come: what speaks it is known. */
  #proven = false;
  #version: string | undefined;
  #ending: string | undefined;
  #authorizing: Promise<void> | undefined;
  /** It was this side that has ended it. */
  #left = false;
  #closing: Promise<void> | undefined;

  constructor(config: HttpServerConfig, auth: OAuthSession | undefined, onLog: (line: string) => void) {
    this.#config = config;
    this.#auth = auth;
    this.#onLog = onLog;
    this.#http = new GuardedFetch({ serverUrl: config.url, access: config.localAccess });
    this.#inner = config.transport === 'sse' ? this.#sse() : this.#streamable();
  }

  get ending(): string | undefined {
    return this.#ending;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner instanceof StreamableHTTPClientTransport;
  }

  get sessionId(): string | undefined {
    return this.#inner instanceof StreamableHTTPClientTransport ? this.#inner.sessionId : undefined;
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    await this.#authorized(() => this.#inner.start());
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    try {
      await this.#authorized(() => this.#sendInner(message, options));
      this.#proven = true;
    } catch (error) {
      if (!this.#mayFallBack(error)) {
        this.#noteLostSession(error);
        throw error;
      }
      await this.#fallBack(error);
      await this.#authorized(() => this.#sendInner(message, options));
      this.#proven = true;
    }
  }

  /** Nothing tells that a server behind an address has gone. */
  async waitForEnd(): Promise<void> {}

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#left = true;
    const inner = this.#inner;
    if (inner instanceof StreamableHTTPClientTransport && inner.sessionId !== undefined && !this.#ending) {
      const goodbye = inner.terminateSession().catch(error => this.#onLog(`goodbye: ${messageOf(error)}`));
      await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })]);
    }
    await inner.close().catch(error => this.#onLog(`closing: ${messageOf(error)}`));
    this.#http.close();
  }

  #options() {
    const { headers } = this.#config;
    return {
      fetch: this.#http.fetch,
      requestInit: { headers: { ...headers } },
      ...(this.#auth === undefined ? {} : { authProvider: this.#auth.provider }),
      ...(this.#config.oauth?.anyIssuer === true && { skipIssuerMetadataValidation: true }),
    };
  }

  #streamable(): Inner {
    const url = new URL(this.#config.url);
    return this.#wired(
      new StreamableHTTPClientTransport(url, { ...this.#options(), reconnectionOptions: RECONNECTION }),
    );
  }

  #sse(): Inner {
    return this.#wired(new SSEClientTransport(new URL(this.#config.url), this.#options()));
  }

  #wired(inner: Inner): Inner {
    inner.onmessage = message => this.onmessage?.(message);
    inner.onerror = error => this.onerror?.(error);
    inner.onclose = () => {
      if (inner !== this.#inner) return;
      if (!this.#left) this.#ending ??= 'closed the connection';
      this.onclose?.();
    };
    return inner;
  }

  #sendInner(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    return this.#inner instanceof StreamableHTTPClientTransport
      ? this.#inner.send(message, options)
      : this.#inner.send(message);
  }

  /** The protocol's rule: a refusal of the very first POST, other than for want of a login, hints at the old transport. */
  #mayFallBack(error: unknown): boolean {
    if (this.#proven || this.#config.transport === 'sse') return false;
    const status = error instanceof SdkHttpError ? error.status : undefined;
    return status === 400 || status === 404 || status === 405;
  }

  async #fallBack(cause: unknown): Promise<void> {
    const streamable = this.#inner;
    this.#inner = this.#sse();
    if (this.#version !== undefined) this.#inner.setProtocolVersion(this.#version);
    await streamable.close();
    try {
      await this.#authorized(() => this.#inner.start());
    } catch (error) {
      if (error instanceof LlmHostError) throw error;
      // The first refusal says more than that the old transport is not there either.
      throw new LlmHostError(
        'MCP_SERVER',
        `${messageOf(cause)} (nor is it an SSE server: ${messageOf(error)})`,
      );
    }
  }

  /** A server that was restarted knows nothing of its session; a new connection has to be made. */
  #noteLostSession(error: unknown): void {
    if (this.sessionId === undefined || !(error instanceof SdkHttpError)) return;
    const lost = error.status === 404 || (error.status === 400 && /session/i.test(error.message));
    if (!lost || this.#ending !== undefined) return;
    this.#ending = 'has forgotten its session';
    void this.#inner.close();
  }

  /** Runs the work; where it ends for want of a login, the user logs in once for all that wait, and it runs again. */
  async #authorized(work: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const auth = this.#auth;
        if (!(error instanceof UnauthorizedError) || auth === undefined) throw error;
        if (attempt >= MAX_AUTHORIZATIONS) {
          throw new LlmHostError(
            'MCP_SERVER',
            `server '${this.#config.name}' keeps asking for another login`,
          );
        }
        this.#authorizing ??= auth
          .answer()
          .then(answer => this.#inner.finishAuth(answer))
          .finally(() => {
            this.#authorizing = undefined;
          });
        await this.#authorizing;
      }
    }
  }
}
