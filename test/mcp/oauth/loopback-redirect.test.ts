import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LoopbackRedirect } from '../../../src/mcp/oauth/loopback-redirect.ts';

const LOGIN = new URL('https://login.example/authorize?state=expected');

async function opened(shown: URL[] = []): Promise<LoopbackRedirect> {
  const redirect = await LoopbackRedirect.open(url => shown.push(url));
  onTestFinished(() => redirect.close());
  return redirect;
}

const never = () => new AbortController().signal;

/** The answer to these bytes. */
async function raw(redirect: LoopbackRedirect, request: string): Promise<string> {
  const socket = connect(Number(new URL(redirect.redirectUrl).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(request);
  return await text(socket);
}

test('shows the address, and gives what it is sent back with', async () => {
  const shown: URL[] = [];
  const redirect = await opened(shown);
  const answer = redirect.authorize(LOGIN, never());
  expect(shown).toEqual([LOGIN]);
  const page = await fetch(`${redirect.redirectUrl}?code=a%20b?c&state=expected`);
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining('You can close this window'),
  ]);
  expect(Object.fromEntries(await answer)).toEqual({ code: 'a b?c', state: 'expected' });
  // The page is loaded again.
  expect((await fetch(`${redirect.redirectUrl}?code=b&state=expected`)).status).toBe(200);
});

describe('what is no callback of this login is turned away, and the wait goes on', () => {
  test.each([
    '/',
    '/callback',
    '/callback?code=x',
    '/callback?code=x&state=',
    '/callback?code=x&state=other',
    '/callback/?code=x&state=expected',
    '/elsewhere?code=x&state=expected',
    '//',
    '//[?state=expected',
    'http://[/callback?state=expected',
    '*',
  ])('GET %s', async target => {
    const redirect = await opened();
    const answer = redirect.authorize(LOGIN, never());
    expect(await raw(redirect, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 40[04] /);
    await fetch(`${redirect.redirectUrl}?code=good&state=expected`);
    expect((await answer).get('code')).toBe('good');
  });

  test('POST', async () => {
    const redirect = await opened();
    const answer = redirect.authorize(LOGIN, never());
    const posted = await fetch(`${redirect.redirectUrl}?code=x&state=expected`, { method: 'POST' });
    expect(posted.status).toBe(404);
    await fetch(`${redirect.redirectUrl}?code=good&state=expected`);
    expect((await answer).get('code')).toBe('good');
  });

  test('one that comes before anybody logs in', async () => {
    const redirect = await opened();
    expect((await fetch(`${redirect.redirectUrl}?code=x&state=expected`)).status).toBe(404);
  });
});

test('a login that takes too long is given up', async () => {
  const redirect = await opened();
  const late = new AbortController();
  const answer = redirect.authorize(LOGIN, late.signal);
  late.abort();
  await expect(answer).rejects.toMatchObject({ code: 'MCP_SERVER', message: /took too long/ });
});

test('a port that is taken is refused', async () => {
  const redirect = await opened();
  const port = Number(new URL(redirect.redirectUrl).port);
  await expect(LoopbackRedirect.open(() => {}, port)).rejects.toMatchObject({
    code: 'MCP_SERVER',
    message: `port ${port} cannot be used for the login's callback`,
  });
});
