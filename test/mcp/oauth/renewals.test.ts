import { expect, onTestFinished, test } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import type { Authorizer } from '../../../src/mcp/oauth/session.ts';
import { OAuthStore } from '../../../src/mcp/oauth/store.ts';
import { httpEntry } from '../../fixtures/mcp/http-servers.ts';
import { behindLogin } from '../../fixtures/mcp/login-server.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const LIMIT = { timeoutMs: 20_000 };

/** A browser whose user agrees to everything. */
const browser: Authorizer = {
  redirectUrl: 'http://127.0.0.1:1/callback',
  authorize: async url => {
    const { headers } = await fetch(url, { redirect: 'manual' });
    return new URL(headers.get('location') ?? '').searchParams;
  },
};

async function connected(url: string, folder: string, authorizer?: Authorizer): Promise<McpHost> {
  const oauth = { store: new OAuthStore(folder), ...(authorizer && { authorizer }) };
  const host = new McpHost({ configs: [httpEntry(url)], oauth });
  onTestFinished(() => host.close());
  await host.start();
  expect(host.servers()[0]?.state).toBe('ready');
  return host;
}

/** A server that takes each renewal once, and as many programs as wanted that are logged in to it. */
async function loggedIn(programs: number) {
  const server = await behindLogin();
  onTestFinished(() => server.close());
  const folder = tempFolder();
  await (await connected(server.url, folder, browser)).close();
  const hosts: McpHost[] = [];
  for (let count = 0; count < programs; count++) hosts.push(await connected(server.url, folder));
  const renewed = () => server.requests.filter(({ path }) => path === '/token').length - 1;
  return { server, hosts, renewed, store: new OAuthStore(folder) };
}

async function echoes(host: McpHost, count: number): Promise<string[]> {
  const calls = Array.from({ length: count }, (_, index) => host.call('echo', { text: `${index}` }, LIMIT));
  return (await Promise.all(calls)).map(({ text }) => text);
}

test('calls made together renew an expired login once', async () => {
  const { server, hosts, renewed, store } = await loggedIn(1);
  for (const round of [1, 2]) {
    server.tokens.length = 0;
    expect(await echoes(hosts[0] as McpHost, 5)).toEqual(['0', '1', '2', '3', '4']);
    expect([renewed(), server.renewals]).toEqual([round, [store.load(server.url).tokens?.refresh_token]]);
  }
});

test('programs that renew it at the same time take none away from each other', async () => {
  const { server, hosts, store } = await loggedIn(3);
  for (let round = 0; round < 3; round++) {
    server.tokens.length = 0;
    const texts = await Promise.all(hosts.map(host => echoes(host, 2)));
    expect(texts).toEqual(hosts.map(() => ['0', '1']));
    expect(server.renewals).toContain(store.load(server.url).tokens?.refresh_token);
  }
});
