import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { percentDecoded } from '../text/percent-decoded.ts';
import { HubFailure } from './hub-failure.ts';

/** The proxy for an address, by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; lower case wins. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const variable = (name: string): string | undefined => env[name.toLowerCase()] || env[name];
  const text = variable(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? variable('ALL_PROXY');
  if (!text || isExcepted(url, variable('NO_PROXY') ?? '')) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy;
  throw new HubFailure(`The proxy in the environment is not an http address: ${withoutPassword(text)}.`, {
    advice: 'Set HTTPS_PROXY to an address such as http://proxy:3128, or name the Hub in NO_PROXY.',
  });
}

function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const used = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some(entry => {
      const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== used) return false;
      const domain = name.replace(/^\*?\.?/, '').toLowerCase();
      return name === '*' || hostname === domain || (domain !== '' && hostname.endsWith(`.${domain}`));
    });
}

const withoutPassword = (text: string): string => text.replace(/\/\/[^/@]*@/, '//***@');

/** The proxy's header for the user name and password in its address. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  if (!proxy.username) return {};
  const login = `${percentDecoded(proxy.username)}:${percentDecoded(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** Milliseconds for a proxy to open a tunnel, where the request has no limit of its own. */
const ANSWER_MS = 10_000;

/** https connections through a proxy's tunnel (CONNECT), which sees no content. */
export class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: https.AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: tls.ConnectionOptions & { host?: string; port?: number | string },
    callback?: (error: Error | null, socket: tls.TLSSocket) => void,
  ): undefined {
    const target = `${options.host}:${options.port}`;
    const done = callback as (error: Error | null, socket?: tls.TLSSocket) => void;
    const connect = (this.#proxy.protocol === 'https:' ? https : http).request(this.#proxy, {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(this.#proxy) },
      agent: false,
      // The request that this is for counts its own time from its socket on.
      timeout: options.timeout ?? ANSWER_MS,
    });
    connect.once('timeout', () => connect.destroy(silent(this.#proxy)));
    connect.once('connect', ({ statusCode }, socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) return done(null, tls.connect({ ...options, socket }));
      socket.destroy();
      done(refused(this.#proxy, statusCode));
    });
    // A proxy without CONNECT answers like an ordinary server.
    connect.once('response', response => {
      response.destroy();
      done(refused(this.#proxy, response.statusCode));
    });
    connect.once('error', done);
    connect.end();
  }
}

function silent(proxy: URL): HubFailure {
  return new HubFailure(`The proxy ${proxy.host} did not answer.`, {
    temporary: true,
    advice: 'Check HTTPS_PROXY and NO_PROXY.',
  });
}

function refused(proxy: URL, status: number | undefined): HubFailure {
  return new HubFailure(`The proxy ${proxy.host} refused the connection (${status}).`, {
    advice:
      status === 407
        ? 'It needs a name and a password: HTTPS_PROXY=http://name:password@host:port'
        : 'Check HTTPS_PROXY and NO_PROXY.',
  });
}
