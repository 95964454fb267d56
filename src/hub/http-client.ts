import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { messageOf } from '../errors.ts';
import type { HubEnvironment } from './hub-environment.ts';
import { HubFailure } from './hub-failure.ts';
import { proxyFor, proxyHeaders, TunnelAgent } from './proxy.ts';

export interface HubRequest {
  readonly url: URL;
  /** First byte, and the one after the last. Default: everything. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  /** Milliseconds without a byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HubResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Headers of the Hub's own answer, before any redirect to storage: they describe the file. */
  readonly hubHeaders: IncomingHttpHeaders;
  /** Where the answer came from. */
  readonly url: URL;
  /** The caller reads or destroys it. */
  readonly body: IncomingMessage;
}

const MAX_REDIRECTS = 10;
const CONNECTIONS = 16;
const KEEP_ALIVE = { keepAlive: true, maxSockets: CONNECTIONS };

/** GET requests to the Hub and wherever it redirects. Only the Hub gets the token. */
export class HttpClient {
  readonly #environment: HubEnvironment;
  readonly #hub: string;
  readonly #plain = new http.Agent(KEEP_ALIVE);
  readonly #secure = new https.Agent(KEEP_ALIVE);
  readonly #tunnels = new Map<string, TunnelAgent>();

  constructor(environment: HubEnvironment) {
    this.#environment = environment;
    this.#hub = new URL(environment.endpoint).origin;
  }

  /** Resolves with the first answer that is not a redirect, whatever its status. Throws HubFailure. */
  async get(request: HubRequest): Promise<HubResponse> {
    let { url } = request;
    let hubHeaders: IncomingHttpHeaders | undefined;
    for (let count = 0; count <= MAX_REDIRECTS; count++) {
      const body = await this.#send(url, request);
      const { statusCode: status = 0, headers } = body;
      // The headers of a redirect to a renamed repository do not describe the file.
      if (hubHeaders === undefined || url.origin === this.#hub) hubHeaders = headers;
      const { location } = headers;
      if (status < 300 || status >= 400 || location === undefined) {
        return { status, headers, hubHeaders, url, body };
      }
      discard(body);
      url = this.#redirected(url, location);
    }
    throw new HubFailure(`${url.host} redirects too often.`);
  }

  /** Closes idle connections; later requests open new ones. */
  close(): void {
    for (const agent of [this.#plain, this.#secure, ...this.#tunnels.values()]) agent.destroy();
  }

  #redirected(from: URL, location: string): URL {
    const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      throw new HubFailure(`${from.host} redirects to an invalid address: ${location.slice(0, 200)}`);
    }
    if (from.protocol === 'https:' && url.protocol !== 'https:') {
      throw new HubFailure(
        `${from.host} redirects to ${url.host} without encryption, which is not followed.`,
      );
    }
    return url;
  }

  #send(url: URL, { range, timeoutMs, signal }: HubRequest): Promise<IncomingMessage> {
    const { token, env } = this.#environment;
    const proxy = proxyFor(url, env);
    const plainProxy = url.protocol === 'http:' ? proxy : undefined;
    const headers: Record<string, string> = {
      'user-agent': 'llm-host',
      // A compressed answer has another size and could not be resumed.
      'accept-encoding': 'identity',
      ...(range && { range: `bytes=${range.start}-${range.end - 1}` }),
      ...(token && url.origin === this.#hub && { authorization: `Bearer ${token.value}` }),
      ...(plainProxy && { host: url.host, ...proxyHeaders(plainProxy) }),
    };
    const target = plainProxy ?? url;
    const options = {
      headers,
      agent: this.#agentFor(target, plainProxy ? undefined : proxy),
      timeout: timeoutMs,
      ...(plainProxy && { path: url.href }),
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      let answer: IncomingMessage | undefined;
      const sent = (target.protocol === 'https:' ? https : http).get(target, options, response => {
        answer = response;
        resolve(response);
      });
      sent.on('timeout', () => (answer ?? sent).destroy(silence(url, timeoutMs)));
      sent.on('error', error => reject(networkFailure(error, url)));
    });
  }

  #agentFor(target: URL, tunnel: URL | undefined): http.Agent {
    if (target.protocol === 'http:') return this.#plain;
    if (!tunnel) return this.#secure;
    const agent = this.#tunnels.get(tunnel.href) ?? new TunnelAgent(tunnel, KEEP_ALIVE);
    this.#tunnels.set(tunnel.href, agent);
    return agent;
  }
}

/** Reads an unwanted answer to its end, so its connection can be reused. */
function discard(body: IncomingMessage): void {
  body.on('error', () => body.destroy());
  body.resume();
}

function silence(url: URL, timeoutMs: number): HubFailure {
  return new HubFailure(`${url.host} sent nothing for ${timeoutMs / 1000} s.`, {
    temporary: true,
    advice: 'HF_HUB_DOWNLOAD_TIMEOUT and HF_HUB_ETAG_TIMEOUT set other limits (seconds).',
  });
}

const CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/;

/** Explains a broken connection. */
export function networkFailure(error: unknown, url: URL): unknown {
  if (error instanceof HubFailure || (error as Error).name === 'AbortError') return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (CERTIFICATE.test(code)) {
    return new HubFailure(`The certificate of ${url.host} is not trusted: ${messageOf(error)}.`, {
      advice: "Behind a proxy that inspects traffic, name the proxy's certificate in NODE_EXTRA_CA_CERTS.",
      cause: error,
    });
  }
  const away = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH'].includes(code);
  return new HubFailure(
    away
      ? `${url.host} cannot be reached (${code}).`
      : `The connection to ${url.host} broke: ${messageOf(error)}.`,
    {
      temporary: true,
      ...(away && { advice: 'Check the network, HTTPS_PROXY and HF_ENDPOINT.' }),
      cause: error,
    },
  );
}
