import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServerConfig } from '../../../src/mcp/config/config.ts';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { httpEntry, type Listening, listen, sseOnly, streamable } from '../../fixtures/mcp/http-servers.ts';
import { eventually } from '../../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 20_000 };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function kept<T extends { close(): Promise<void> }>(opened: T): T {
  closers.push(() => opened.close());
  return opened;
}

async function hostOf(...configs: HttpServerConfig[]): Promise<McpHost> {
  const host = kept(new McpHost({ configs }));
  await host.start();
  return host;
}

const errorOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('resolved'),
    error => error,
  );

describe('Streamable HTTP', () => {
  it.each([false, true])(
    'lists and calls, sends the headers, ends its session (JSON answers: %s)',
    async answerJson => {
      const server = kept(await streamable({ answerJson }));
      const host = await hostOf(httpEntry(server.url, { headers: { 'X-Key': 'secret' } }));
      expect(host.servers()[0]).toEqual({ name: 'web', state: 'ready', tools: 4 });
      const texts = Array.from({ length: 32 }, (_, index) => `number ${index} ✓`);
      const outcomes = await Promise.all(texts.map(text => host.call('echo', { text }, LIMIT)));
      expect(outcomes.map(outcome => outcome.text)).toEqual(texts);
      await host.close();
      expect(server.requests.every(({ headers }) => headers['x-key'] === 'secret')).toBe(true);
      expect(server.requests.at(-1)?.method).toBe('DELETE');
    },
  );

  it('shows progress', async () => {
    const server = kept(await streamable());
    const host = await hostOf(httpEntry(server.url));
    const seen: unknown[] = [];
    await host.call('steps', { text: 'x' }, { ...LIMIT, onProgress: progress => seen.push(progress) });
    expect(seen).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ]);
  });

  it('ends a call at its limit and by its signal, and stays usable', async () => {
    const server = kept(await streamable());
    const host = await hostOf(httpEntry(server.url));
    expect((await errorOf(host.call('wait', {}, { timeoutMs: 200 }))).message).toContain(
      'timed out after 0.2s',
    );
    const controller = new AbortController();
    const call = errorOf(host.call('wait', {}, { ...LIMIT, signal: controller.signal }));
    controller.abort();
    expect((await call).message).toBe("Tool 'wait' was cancelled");
    expect((await host.call('echo', { text: 'on' }, LIMIT)).text).toBe('on');
  });

  it('makes a new session when the server has forgotten the old one', async () => {
    const first = await streamable();
    const host = await hostOf(httpEntry(first.url));
    await host.call('echo', { text: 'a' }, LIMIT);
    await first.close();
    kept(await streamable({ port: first.port }));
    expect((await errorOf(host.call('echo', { text: 'b' }, LIMIT))).message).toContain(
      'has forgotten its session',
    );
    expect((await host.call('echo', { text: 'c' }, LIMIT)).text).toBe('c');
  });

  it('says what is wrong with a server that is not there, hangs, or is none', async () => {
    const gone = await listen(() => {});
    await gone.close();
    const mute = kept(await listen(() => {}));
    const page = kept(await listen((_request, response) => response.end('<html>')));
    const teapot = kept(await listen((_request, response) => response.writeHead(418).end('no')));
    const host = await hostOf(
      httpEntry(gone.url, { name: 'gone' }),
      httpEntry(mute.url, { name: 'mute', startTimeoutMs: 1000 }),
      httpEntry(page.url, { name: 'page', startTimeoutMs: 5000 }),
      httpEntry(teapot.url, { name: 'teapot' }),
    );
    const errors = Object.fromEntries(host.servers().map(({ name, error }) => [name, error]));
    expect(errors.gone).toContain('ECONNREFUSED');
    expect(errors.mute).toBe("server 'mute' did not answer within 1.0s of its start");
    expect(errors.page).toMatch(/^server 'page' could not be started: /);
    expect(errors.teapot).toMatch(/418|no/);
  });

  it.each([false, true])(
    'refuses an answer over 10 MB without holding the call (JSON: %s)',
    async answerJson => {
      const server = kept(await streamable({ answerJson }));
      const host = await hostOf(httpEntry(server.url));
      const call = host.call('large', { chars: 30_000_000 }, { timeoutMs: 60_000 });
      expect((await errorOf(call)).message).toMatch(/limit of 10 MB|stream|connection/i);
      expect((await host.call('echo', { text: 'on' }, LIMIT)).text).toBe('on');
    },
  );

  it('closes while it starts', async () => {
    const mute = kept(await listen(() => {}));
    const host = kept(new McpHost({ configs: [httpEntry(mute.url)] }));
    const start = host.start();
    await host.close();
    await start;
    expect(host.servers()[0]?.state).toBe('closed');
  });
});

describe('HTTP+SSE', () => {
  it.each(['http', 'sse'] as const)('is fallen back to, or used at once (%s)', async transport => {
    const server = kept(await sseOnly());
    const host = await hostOf(httpEntry(server.url, { transport }));
    expect(host.servers()[0]?.state).toBe('ready');
    expect((await host.call('echo', { text: 'old' }, LIMIT)).text).toBe('old');
    expect(server.requests[0]?.method).toBe(transport === 'sse' ? 'GET' : 'POST');
  });
});

describe('addresses', () => {
  it('refuses a loopback address unless it is allowed, before anything is sent', async () => {
    const server = kept(await streamable());
    const host = await hostOf(httpEntry(server.url, { localAccess: 'never', where: 'mcp.json:5:7' }));
    const error = host.servers()[0]?.error;
    expect(error).toContain("'127.0.0.1' is on this machine or the local network");
    expect(error).toMatch(/Set "allowLocalNetwork": true in its entry.*\nIts entry: mcp\.json:5:7$/);
    expect(server.requests).toEqual([]);
  });

  it('follows no redirect to another host', async () => {
    const secret: Listening = kept(await listen((_request, response) => response.end('{}')));
    const server = kept(
      await listen((_request, response) =>
        response.writeHead(307, { location: `${secret.url}?secret` }).end(),
      ),
    );
    const host = await hostOf(httpEntry(server.url));
    expect(host.servers()[0]?.state).toBe('failed');
    expect(secret.requests).toEqual([]);
  });
});

describe('a login', () => {
  it('that is asked for and cannot be had says what to do, and registers nowhere', async () => {
    const server = kept(await listen((_request, response) => response.writeHead(401).end()));
    const { OAuthStore } = await import('../../../src/mcp/oauth/store.ts');
    const host = kept(
      new McpHost({
        configs: [httpEntry(server.url)],
        oauth: { store: new OAuthStore('/nonexistent/folder') },
      }),
    );
    await host.start();
    expect(host.servers()[0]?.error).toContain("server 'web' asks for a login");
    await eventually(() => server.requests.length > 0, 'it was asked');
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(['/mcp']));
  });
});
