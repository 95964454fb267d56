import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LlmHostError } from '../errors.ts';
import type { Authorizer } from './oauth-session.ts';

const PATH = '/callback';
const DONE = 'The login has come back to llm-host. You can close this window.';

/**
 * Listens on 127.0.0.1 for the way back from a login. `show` gets the address that the user has to open in a browser;
 * it is opened by nobody else.
 */
export class LoopbackRedirect implements Authorizer {
  readonly redirectUrl: string;
  readonly #server: Server;
  readonly #show: (url: URL) => void;
  #arrived: ((params: URLSearchParams) => void) | undefined;

  private constructor(server: Server, show: (url: URL) => void) {
    this.#server = server;
    this.#show = show;
    this.redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', this.redirectUrl);
      const expected = request.method === 'GET' && url.pathname === PATH && url.searchParams.has('state');
      response.writeHead(expected ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'close',
      });
      response.end(expected ? DONE : 'Not found');
      if (expected) this.#arrived?.(url.searchParams);
    });
  }

  /** Any free port unless one is given. Throws LlmHostError MCP_SERVER when it is taken. */
  static async open(show: (url: URL) => void, port = 0): Promise<LoopbackRedirect> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', error =>
        reject(
          new LlmHostError('MCP_SERVER', `the port ${port} for the way back from the login cannot be used`, {
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
      this.#arrived = resolve;
      signal.addEventListener(
        'abort',
        () => reject(new LlmHostError('MCP_SERVER', 'the login took too long and was given up')),
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
