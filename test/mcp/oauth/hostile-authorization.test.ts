import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import type { Authorizer } from '../../../src/mcp/oauth/session.ts';
import { OAuthStore } from '../../../src/mcp/oauth/store.ts';
import { httpEntry, listen } from '../../fixtures/mcp/http-servers.ts';
import { tempFolder } from '../../model/temp-folder.ts';
import { UNCLEAN } from '../hostile/withstand.ts';

const PROTECTED = '/.well-known/oauth-protected-resource/mcp';
const ISSUER = '/.well-known/oauth-authorization-server';
const MEGABYTE = 1024 * 1024;
const NASTY = '\u001b]52;c;aGk=\u0007\u202e';

type Answer = object | string | ((response: ServerResponse, request: IncomingMessage) => unknown);

/** What a well-behaved server answers; an attack replaces some of it. */
function answers(origin: string): Record<string, Answer> {
  return {
    [PROTECTED]: { resource: `${origin}/mcp`, authorization_servers: [origin] },
    [ISSUER]: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    },
    '/register': { client_id: 'registered', redirect_uris: ['http://127.0.0.1:1/callback'] },
    '/token': { access_token: 'token', token_type: 'Bearer' },
    '/mcp': (response: ServerResponse) =>
      response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${origin}${PROTECTED}"` })
        .end(),
  };
}

const redirect = (to: string) => (response: ServerResponse) =>
  response.writeHead(302, { location: to }).end();
const endless = (everyMs: number, piece: string) => async (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  while (!response.destroyed) {
    if (!response.write(piece)) await sleep(1);
    if (everyMs > 0) await sleep(everyMs);
  }
};

/** `other`: a server on this machine that the hostile one must not reach through us. */
type Attack = (origin: string, other: string) => Record<string, Answer>;
const issuer =
  (changes: (origin: string, other: string) => object): Attack =>
  (origin, other) => ({ [ISSUER]: { ...(answers(origin)[ISSUER] as object), ...changes(origin, other) } });

const ATTACKS: Record<string, Attack> = {
  'resource metadata of 12 MB': () => ({ [PROTECTED]: { a: 'x'.repeat(12 * MEGABYTE) } }),
  'issuer metadata of 12 MB': issuer(() => ({ a: 'x'.repeat(12 * MEGABYTE) })),
  'metadata of a million values': issuer(() => ({ scopes_supported: Array(1e6).fill('a') })),
  'endless metadata': () => ({ [PROTECTED]: endless(0, ' '.repeat(65_536)) }),
  'metadata a byte at a time': () => ({ [PROTECTED]: endless(20, ' ') }),
  'metadata nested 100,000 deep': () => ({ [PROTECTED]: `${'['.repeat(1e5)}${']'.repeat(1e5)}` }),
  'metadata that is null': () => ({ [PROTECTED]: 'null', [ISSUER]: 'null' }),
  'metadata that is no JSON': () => ({ [PROTECTED]: NASTY, [ISSUER]: `${NASTY}{` }),
  'metadata with escapes in every text': issuer(() => ({ issuer: NASTY, token_endpoint: NASTY })),
  'metadata that is another program of this machine': (_, other) => ({ [PROTECTED]: redirect(`${other}/a`) }),
  'metadata in the cloud': () => ({ [PROTECTED]: redirect('http://169.254.169.254/latest/meta-data') }),
  'redirects in a circle': () => ({ [PROTECTED]: redirect(PROTECTED) }),
  'an issuer on this machine': (origin, other) => ({
    [PROTECTED]: { resource: `${origin}/mcp`, authorization_servers: [other] },
  }),
  '100,000 issuers': (origin, other) => ({
    [PROTECTED]: { resource: `${origin}/mcp`, authorization_servers: Array(100_000).fill(other) },
  }),
  'another resource': (origin, other) => ({
    [PROTECTED]: { resource: `${other}/mcp`, authorization_servers: [origin] },
  }),
  'registration on this machine': issuer((_, other) => ({ registration_endpoint: `${other}/register` })),
  'tokens on this machine': issuer((_, other) => ({ token_endpoint: `${other}/token` })),
  'a page that is a script': issuer(() => ({ authorization_endpoint: 'javascript:alert(1)' })),
  'a page that is a file': issuer(() => ({ authorization_endpoint: 'file:///etc/passwd' })),
  'a page that starts a program': issuer(() => ({ authorization_endpoint: 'vscode://x' })),
  'a page with an address of 1 MB': issuer(origin => ({
    authorization_endpoint: `${origin}/authorize?a=${'x'.repeat(MEGABYTE)}`,
  })),
  'a client id of 5 MB': () => ({
    '/register': { client_id: 'x'.repeat(5 * MEGABYTE), redirect_uris: ['http://127.0.0.1:1/callback'] },
  }),
  'a token of 5 MB': () => ({ '/token': { access_token: 'x'.repeat(5 * MEGABYTE), token_type: 'Bearer' } }),
  'a token that ends the header': () => ({ '/token': { access_token: 'a\r\nx: y', token_type: 'Bearer' } }),
  'an error of 150 KB': () => ({
    '/token': (response: ServerResponse) =>
      response
        .writeHead(400)
        .end(JSON.stringify({ error: 'invalid_grant', error_description: NASTY.repeat(1e4) })),
  }),
  'a header of junk': origin => ({
    '/mcp': (response: ServerResponse) =>
      response
        .writeHead(401, { 'www-authenticate': `Bearer ${'a="'.repeat(3000)} resource_metadata="${origin}` })
        .end(),
  }),
  'metadata at a script': () => ({
    '/mcp': (response: ServerResponse) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="javascript:alert(1)"' }).end(),
  }),
};

/** Answers as told, and counts what it is asked. */
async function server(answersOf: (origin: string) => Record<string, Answer>) {
  const asked: string[] = [];
  const listening = await listen((request, response) => {
    const { origin, pathname } = new URL(request.url ?? '/', `http://${request.headers.host}`);
    asked.push(pathname);
    const answer = answersOf(origin)[pathname];
    if (answer === undefined) return void response.writeHead(404).end();
    if (typeof answer === 'function') return void answer(response, request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  onTestFinished(() => listening.close());
  return { url: listening.url, asked };
}

/** A user who agrees to everything that is shown. */
function user(): Authorizer & { readonly shown: URL[] } {
  const shown: URL[] = [];
  return {
    shown,
    redirectUrl: 'http://127.0.0.1:1/callback',
    authorize: async url => {
      shown.push(url);
      return new URLSearchParams({ code: 'code', state: url.searchParams.get('state') ?? '' });
    },
  };
}

// The SDK prints what the server says; the program sends that to its log: cli/process/program-log.test.ts.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

test.each(Object.entries(ATTACKS))('%s', async (name, attack) => {
  const other = await server(() => ({}));
  const hostile = await server(origin => ({
    ...answers(origin),
    ...attack(origin, new URL(other.url).origin),
  }));
  const authorizer = user();
  const folder = tempFolder();
  const host = new McpHost({
    configs: [
      httpEntry(new URL('/mcp', hostile.url).href, {
        startTimeoutMs: name.includes('endless') || name.includes('at a time') ? 1500 : 20_000,
      }),
    ],
    oauth: { store: new OAuthStore(folder), authorizer },
  });
  const before = process.memoryUsage.rss();
  await host.start();
  const [state] = host.servers();
  await host.close();
  expect.soft(state?.state).toBe('failed');
  expect.soft(state?.error).not.toMatch(UNCLEAN);
  expect.soft(state?.error?.length).toBeLessThan(4200);
  expect.soft(other.asked, 'requests to another program').toEqual([]);
  expect.soft(hostile.asked.length, 'requests').toBeLessThan(40);
  for (const { protocol, href } of authorizer.shown) {
    expect.soft(protocol).toMatch(/^https?:$/);
    expect.soft(href.length).toBeLessThan(10_000);
  }
  expect.soft(process.memoryUsage.rss() - before).toBeLessThan(300 * MEGABYTE);
});
