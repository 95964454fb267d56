import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { HttpServerConfig } from '../config/types.ts';
import type { OAuthSession } from '../oauth/session.ts';
import { GuardedFetch } from './guarded-fetch.ts';
import { IncomingFlow } from './incoming-flow.ts';
import { lostAnswer, noAnswer } from './json-rpc.ts';
import type { ServerTransport } from './server-transport.ts';
import { incoming, outgoing } from './wire-extensions.ts';

/** Delays before a lost stream is resumed with Last-Event-ID, unless the server sets its own. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 5,
};
/** How long to wait for the server to end its session before leaving anyway. */
const GOODBYE_MS = 500;
/** A server that keeps asking for authorization is not obeyed forever. */
const MAX_AUTHORIZATIONS = 2;

type Inner = StreamableHTTPClientTransport | SSEClientTransport;

/**
 * A server at a URL: Streamable HTTP, falling back to HTTP+SSE if the server rejects the first message in a way that
 * means it does not speak the former. The SDK's transports implement the protocol; this adds the guarded `fetch`, the
 * fallback, lost sessions and the login.
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
  readonly #flow: IncomingFlow;
  #inner: Inner;
  /** The server has answered, so the transport is settled. */
  #proven = false;
  /** Which has been sent messages. */
  #spokenTo: Inner | undefined;
  #version: string | undefined;
  #ending: string | undefined;
  #authorizing: Promise<void> | undefined;
  /** We closed the connection. */
  #left = false;
  #closing: Promise<void> | undefined;

  constructor(config: HttpServerConfig, auth: OAuthSession | undefined, onLog: (line: string) => void) {
    this.#config = config;
    this.#auth = auth;
    this.#onLog = onLog;
    this.#flow = new IncomingFlow({
      deliver: message => this.onmessage?.(incoming(message)),
      giveUp: reason => this.#leave(`was stopped: ${reason}`),
      onLog,
    });
    this.#http = new GuardedFetch({
      serverUrl: config.url,
      access: config.localAccess,
      ownHeaders: config.headers,
      onAccepted: id => this.#noteNoAnswer(id),
    });
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

  async send(unsent: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const message = outgoing(unsent);
    this.#flow.sending(message);
    try {
      await this.#sendSpoken(message, options);
    } finally {
      this.#flow.sent(message);
    }
  }

  /** Sends in whichever of the two transports the server speaks. */
  async #sendSpoken(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    try {
      await this.#authorized(() => this.#sendInner(message, options));
      this.#proven = true;
    } catch (error) {
      if (isProbe(message) || !this.#mayFallBack(error)) {
        this.#noteLostSession(error);
        throw error;
      }
      await this.#fallBack(error);
      await this.#authorized(() => this.#sendInner(message, options));
      this.#proven = true;
    }
  }

  /** Nothing signals that a remote server is gone. */
  async waitForEnd(): Promise<void> {}

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#left = true;
    this.#flow.end();
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
      fetch: this.#auth?.through(this.#http.fetch) ?? this.#http.fetch,
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
    inner.onmessage = message => this.#flow.take(message);
    inner.onerror = error => {
      this.onerror?.(error);
      if (error instanceof SseError) this.#noteLostEvents(inner);
    };
    inner.onclose = () => {
      if (inner !== this.#inner) return;
      if (!this.#left) this.#ending ??= 'closed the connection';
      this.onclose?.();
    };
    return inner;
  }

  #sendInner(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    this.#spokenTo = this.#inner;
    if (!(this.#inner instanceof StreamableHTTPClientTransport)) return this.#inner.send(message);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      this.#noteLostAnswer(message);
    };
    return this.#inner.send(message, { ...options, onRequestStreamEnd });
  }

  /** The stream that was to bring the answer has ended and cannot be resumed; the SDK would wait on. */
  #noteLostAnswer(message: JSONRPCMessage): void {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    // Its own requests with other ids the SDK ends by itself.
    if (typeof id === 'number' && this.#flow.waitsFor(id)) this.#flow.take(lostAnswer(id));
  }

  /**
   * A request over Streamable HTTP has its answer in the response; the SDK would wait on. With SSE it comes on the
   * stream.
   */
  #noteNoAnswer(id: string | number): void {
    if (this.hasPerRequestStream && this.#flow.waitsFor(id)) this.#flow.take(noAnswer(id));
  }

  /** As the protocol says: a rejected first POST, other than for a missing login, suggests the older transport. */
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
      // The first rejection is more telling than that SSE failed too.
      throw new LlmHostError(
        'MCP_SERVER',
        `${messageOf(cause)} (nor is it an SSE server: ${messageOf(error)})`,
        { cause },
      );
    }
  }

  /** A restarted server does not know its session any more; a new connection is needed. */
  #noteLostSession(error: unknown): void {
    if (this.sessionId === undefined || !(error instanceof SdkHttpError)) return;
    const lost = error.status === 404 || (error.status === 400 && /session/i.test(error.message));
    if (lost) this.#leave('has forgotten its session');
  }

  /** The SDK opens another stream, but that is a new session, which nobody has initialized. */
  #noteLostEvents(inner: Inner): void {
    // Before the first message `start` fails. It would close too early to stop the reconnection that is about to be planned.
    if (inner === this.#inner && inner === this.#spokenTo)
      queueMicrotask(() => this.#leave('lost its event stream'));
  }

  #leave(reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = reason;
    void this.#inner.close();
  }

  /**
   * Runs `work`. If it fails for lack of a login, the user logs in once for all waiting requests, and it runs again.
   */
  async #authorized(work: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await work();
        this.#auth?.noteAccepted();
        return;
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

/** A server of the older era may refuse the question whether it speaks the newer one in any way it likes. */
function isProbe(message: JSONRPCMessage): boolean {
  return 'method' in message && message.method === 'server/discover';
}
