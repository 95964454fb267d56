import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { type Authorizer, OAuthSession } from '../../../src/mcp/oauth/session.ts';
import { OAuthStore } from '../../../src/mcp/oauth/store.ts';
import { httpEntry } from '../../fixtures/mcp/http-servers.ts';
import { behindLogin } from '../../fixtures/mcp/login-server.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const NO_LOGIN = /server 'web' asks for a login/;

async function loginServer(back?: (address: URL) => void) {
  const server = await behindLogin(back);
  onTestFinished(() => server.close());
  return server;
}

/** A browser whose user agrees to everything. */
function browser(port = 1): Authorizer & { readonly shown: URL[] } {
  const shown: URL[] = [];
  return {
    shown,
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    authorize: async url => {
      shown.push(url);
      const { headers } = await fetch(url, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '').searchParams;
    },
  };
}

/** One start of the program: the server's state, or its error. */
async function connected(url: string, store: OAuthStore, authorizer?: Authorizer): Promise<string> {
  const host = new McpHost({
    configs: [httpEntry(url)],
    oauth: { store, ...(authorizer && { authorizer }) },
  });
  try {
    await host.start();
    const [server] = host.servers();
    return server?.error ?? server?.state ?? '';
  } finally {
    await host.close();
  }
}

describe('a login', () => {
  test('is kept, used without a user, and renewed when the server has enough of it', async () => {
    const server = await loginServer();
    const store = new OAuthStore(tempFolder());
    const user = browser();
    expect(await connected(server.url, store, user)).toBe('ready');
    expect(await connected(server.url, store)).toBe('ready');
    expect([user.shown.length, server.tokens]).toEqual([1, ['token-0']]);
    server.tokens.length = 0;
    expect(await connected(server.url, store)).toBe('ready');
    expect([server.tokens, server.clients.length]).toEqual([['token-1'], 1]);
    expect(store.load(server.url).tokens).toMatchObject({ refresh_token: 'renewal-1' });
  });

  test('that can be renewed no more is asked for where a user is, and refused where none is', async () => {
    const server = await loginServer();
    const store = new OAuthStore(tempFolder());
    await connected(server.url, store, browser());
    server.tokens.length = 0;
    server.renewals.length = 0;
    expect(await connected(server.url, store)).toMatch(NO_LOGIN);
    const user = browser();
    expect(await connected(server.url, store, user)).toBe('ready');
    expect(user.shown).toHaveLength(1);
  });

  test.each([
    ['no answer', /cannot be used \(socket hang up\)/],
    ['status 503', /cannot be used \(HTTP status 503\)/],
  ] as const)('that cannot be renewed for now (%s): no other login is asked for', async (outage, reason) => {
    const server = await loginServer();
    const store = new OAuthStore(tempFolder());
    const user = browser();
    await connected(server.url, store, user);
    server.tokens.length = 0;
    server.outage = outage;
    const warn = vi.spyOn(console, 'warn');
    onTestFinished(() => warn.mockRestore());
    const error = await connected(server.url, store);
    expect(error).toMatch(/the login cannot be renewed now/);
    expect(error).toMatch(reason);
    expect(error).not.toMatch(NO_LOGIN);
    expect(warn).not.toHaveBeenCalled();
    server.outage = undefined;
    expect(await connected(server.url, store)).toBe('ready');
    expect(user.shown).toHaveLength(1);
  });

  test('whose file is damaged is none', async () => {
    const server = await loginServer();
    const folder = tempFolder();
    const store = new OAuthStore(folder);
    await connected(server.url, store, browser());
    const [file = ''] = readdirSync(folder);
    for (const broken of [
      '',
      '{"serverUrl":',
      JSON.stringify({ ...store.load(server.url), serverUrl: 'other' }),
    ]) {
      writeFileSync(join(folder, file), broken);
      expect(await connected(server.url, store)).toMatch(NO_LOGIN);
    }
    expect(await connected(server.url, store, browser())).toBe('ready');
    expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toMatchObject({ serverUrl: server.url });
  });

  test('that cannot be kept fails, and says where', async () => {
    const server = await loginServer();
    const file = join(tempFolder(), 'logins');
    writeFileSync(file, '');
    expect(await connected(server.url, new OAuthStore(file), browser())).toMatch(/EEXIST|ENOTDIR/);
  });

  test.each([
    ['the user says no', { error: 'access_denied', code: undefined }, /access_denied/],
    ['it is of another request', { state: 'other' }, /the login came back for another request/],
    ['it has no state', { state: undefined }, /the login came back for another request/],
    ['its code is not the one', { code: 'code-99' }, /invalid_grant/],
  ])('ends where %s', async (_name, changes, message) => {
    const server = await loginServer(address => {
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) address.searchParams.delete(name);
        else address.searchParams.set(name, value);
      }
    });
    const store = new OAuthStore(tempFolder());
    expect(await connected(server.url, store, browser())).toMatch(message);
    expect(server.tokens).toEqual([]);
    expect(store.load(server.url).tokens).toBeUndefined();
  });

  test('that is given up ends with the reason', async () => {
    const server = await loginServer();
    const user = { ...browser(), authorize: () => Promise.reject(new Error('the browser is gone')) };
    expect(await connected(server.url, new OAuthStore(tempFolder()), user)).toContain('the browser is gone');
  });

  test('that is asked for again and again is not gone through for ever', async () => {
    const server = await loginServer();
    const user = browser();
    // What is issued is never accepted.
    server.tokens.includes = () => false;
    server.renewals.indexOf = () => -1;
    expect(await connected(server.url, new OAuthStore(tempFolder()), user)).toMatch(
      /keeps asking for another login/,
    );
    expect(user.shown.length).toBeLessThanOrEqual(3);
  });

  test('by another port registers anew, by the same one does not', async () => {
    const server = await loginServer();
    const store = new OAuthStore(tempFolder());
    for (const port of [1, 1, 2]) {
      server.tokens.length = 0;
      server.renewals.length = 0;
      expect(await connected(server.url, store, browser(port))).toBe('ready');
    }
    expect(server.clients.map(client => client.redirect_uris)).toEqual([
      ['http://127.0.0.1:1/callback'],
      ['http://127.0.0.1:2/callback'],
    ]);
  });
});

describe('a session', () => {
  const url = 'http://127.0.0.1:1/mcp';
  const tokens = { access_token: 'secret', token_type: 'Bearer', issuer: 'https://one.example' };
  const client = {
    client_id: 'registered',
    issuer: 'https://one.example',
    redirect_uris: [browser().redirectUrl],
  };

  function session(config: Parameters<typeof httpEntry>[1] = {}, authorizer: Authorizer = browser()) {
    const store = new OAuthStore(tempFolder());
    store.save({ serverUrl: url, tokens, client });
    const made = new OAuthSession(httpEntry(url, config), { store, authorizer });
    return { made, store, provider: made.provider as OAuthClientProvider };
  }

  test('answers one login once, and none where none was begun', async () => {
    const { made, provider } = session(
      {},
      { ...browser(), authorize: async asked => new URLSearchParams({ state: asked.hash.slice(1) }) },
    );
    await expect(made.answer()).rejects.toThrow(NO_LOGIN);
    const state = await provider.state?.();
    await provider.redirectToAuthorization(new URL(`https://one.example/#${state}`));
    expect((await made.answer()).get('state')).toBe(state);
    await expect(made.answer()).rejects.toThrow(NO_LOGIN);
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vbscript:x'])(
    'shows nobody %s',
    async address => {
      const user = browser();
      const { made, provider } = session({}, user);
      const { protocol } = new URL(address);
      expect(() => provider.redirectToAuthorization(new URL(address))).toThrow(
        `wants a login at ${protocol}`,
      );
      expect(user.shown).toEqual([]);
      await expect(made.answer()).rejects.toThrow(NO_LOGIN);
    },
  );

  test('shows what one authorisation server has issued to no other', () => {
    const { provider } = session();
    const own = { issuer: 'https://one.example' };
    const other = { issuer: 'https://two.example' };
    expect([provider.tokens(own), provider.tokens(other)]).toEqual([tokens, undefined]);
    expect([provider.clientInformation(own), provider.clientInformation(other)]).toEqual([client, undefined]);
  });

  test.each([
    ['all', undefined, undefined],
    ['tokens', undefined, client],
    ['client', tokens, undefined],
    ['verifier', tokens, client],
    ['discovery', tokens, client],
  ] as const)('forgets what it is told to: %s', (scope, keptTokens, keptClient) => {
    const { provider, store } = session();
    provider.saveCodeVerifier('verifier');
    provider.invalidateCredentials?.(scope);
    provider.invalidateCredentials?.(scope);
    const { serverUrl, ...kept } = store.load(url);
    expect(serverUrl).toBe(url);
    expect([kept.tokens, kept.client]).toEqual([keptTokens, keptClient]);
    expect(provider.codeVerifier()).toBe(scope === 'verifier' ? '' : 'verifier');
  });

  test('takes the client that mcp.json names, and an address as its metadata', () => {
    const named = session({ oauth: { clientId: 'mine', clientSecret: 'hidden', scope: 'read' } }).provider;
    expect(named.clientInformation()).toEqual({ client_id: 'mine', client_secret: 'hidden' });
    expect([named.clientMetadata.scope, named.clientMetadataUrl]).toEqual(['read', undefined]);
    const document = 'https://one.example/client.json';
    const { provider } = session({ oauth: { clientId: document } });
    expect([provider.clientMetadataUrl, provider.clientInformation()]).toEqual([document, client]);
  });
});
