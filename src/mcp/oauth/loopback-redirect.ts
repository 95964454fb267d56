import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LlmHostError } from '../../errors.ts';
import type { Authorizer } from './session.ts';

const PATH = '/callback';
const DONE = 'Login complete. You can close this window.';

/**
 * Listens on 127.0.0.1 for the OAuth callback. A callback with another state (an old tab, a page guessing the port)
 * is rejected and the wait goes on. `show` gets the address for the user to open; nothing opens it for them.
 */
export class LoopbackRedirect implements Authorizer {
  readonly redirectUrl: string;
  readonly #server: Server;
  readonly #show: (url: URL) => void;
  #state: string | null = null;
  #arrived: ((params: URLSearchParams) => void) | undefined;

  private constructor(server: Server, show: (url: URL) => void) {
    this.#server = server;
    this.#show = show;
    this.redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
    server.on('request', (request, response) => {
      const params = request.method === 'GET' ? callbackParams(request.url) : undefined;
      const expected = this.#state !== null && params?.get('state') === this.#state;
      response.writeHead(expected ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'close',
      });
      response.end(expected ? DONE : 'Not found');
      if (expected) this.#arrived?.(params);
    });
  }

  /** Uses any free port unless one is given. Throws LlmHostError MCP_SERVER if that is taken. */
  static async open(show: (url: URL) => void, port = 0): Promise<LoopbackRedirect> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', error =>
        reject(
          new LlmHostError('MCP_SERVER', `port ${port} cannot be used for the login's callback`, {
            cause: error,
          }),
        ),
      );
      server.listen(port, '127.0.0.1', resolve);
    });
    return new LoopbackRedirect(server, show);
  }

  async authorize(url: URL, signal: AbortSignal): Promise<URLSearchParams> {
    return await new Promise((resolve, reject) => {
      this.#state = url.searchParams.get('state');
      this.#arrived = resolve;
      signal.addEventListener(
        'abort',
        () => reject(new LlmHostError('MCP_SERVER', 'the login took too long')),
        { once: true },
      );
      this.#show(url);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** undefined if it is not the callback; a request target can be any text. */
function callbackParams(target = ''): URLSearchParams | undefined {
  const start = `${PATH}?`;
  return target.startsWith(start) ? new URLSearchParams(target.slice(start.length)) : undefined;
}
