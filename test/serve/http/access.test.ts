import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type AccessRules, checkAccess, isLoopback } from '../../../src/serve/http/access/access.ts';
import { serveScripted } from '../scripted.ts';

const LOCAL: AccessRules = { host: '127.0.0.1', allowedHosts: [], corsOrigins: [] };

function head(fields: Partial<Parameters<typeof checkAccess>[0]>) {
  const none = {
    origin: undefined,
    secFetchSite: undefined,
    authorization: undefined,
    apiKeyHeader: undefined,
  };
  return { host: '127.0.0.1:8080', ...none, ...fields };
}

/** One request with any headers, which `fetch` would not send. */
function ask(port: number, headers: Record<string, string>, method = 'GET', body = '') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', path: '/v1/models', method, headers },
      response => {
        response.resume();
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('a page in a browser that was made to point here (DNS rebinding), or asks across origins', () => {
  it.each([
    { host: 'evil.example' },
    { host: 'evil.example:8080' },
    { host: 'localhost.evil.example' },
    { host: '127.0.0.1.nip.io:8080' },
    { host: '127.0.0.1.evil.example:8080', origin: 'http://127.0.0.1.evil.example:8080' },
    { host: '0x7f000001:8080' },
    { host: '[::ffff:127.0.0.1]:8080' },
    { host: '169.254.169.254' },
    { host: '127.0.0.1:8080@evil.example' },
    { host: '127.0.0.1:8080, evil.example' },
    { host: undefined },
    { host: '' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'http://localhost:8080' },
    { origin: 'https://127.0.0.1:8080' },
    { secFetchSite: 'cross-site' },
    { secFetchSite: 'same-site' },
  ])('%j is refused', fields => {
    expect(checkAccess(head(fields), LOCAL, false)).toMatchObject({ status: 403 });
    expect(checkAccess(head(fields), LOCAL, true)).toMatchObject({ status: 403 });
  });

  it.each([
    {},
    { host: 'localhost' },
    { host: 'LOCALHOST:1' },
    { host: '[::1]:8080' },
    { origin: 'http://127.0.0.1:8080', secFetchSite: 'same-origin' },
    { secFetchSite: 'none' },
  ])('%j is not', fields => {
    expect(checkAccess(head(fields), LOCAL, false)).toBeUndefined();
  });

  it('over the wire: refused before anything runs, also as a simple request and with --allow-host', async () => {
    const { port, engine } = await serveScripted(() => 'x', {
      access: { ...LOCAL, allowedHosts: ['box.lan'], corsOrigins: ['http://good.example'] },
    });
    const status = async (headers: Record<string, string>, method?: string) =>
      (await ask(port, headers, method)).status;
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://evil.example', 'content-type': 'text/plain' }, 'POST')).toBe(403);
    expect(await status({ origin: 'http://evil.example' }, 'OPTIONS')).toBe(403);
    expect(await status({ host: 'box.lan:1' })).toBe(200);
    const allowed = await ask(port, { origin: 'http://good.example' });
    expect(allowed).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'http://good.example' },
    });
    const preflight = await ask(port, { origin: 'http://good.example' }, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect((await ask(port, {})).headers['access-control-allow-origin']).toBeUndefined();
    expect(engine.requests).toHaveLength(0);
  });
});

describe('the key', () => {
  const rules = { ...LOCAL, host: '0.0.0.0', apiKey: 'right' };

  it.each([
    [{ authorization: 'Bearer right' }, undefined],
    [{ authorization: 'bearer  right' }, undefined],
    [{ apiKeyHeader: 'right' }, undefined],
    [{ host: 'anything.example', authorization: 'Bearer right' }, undefined],
    [{}, 401],
    [{ authorization: 'Bearer ' }, 401],
    [{ authorization: 'Bearer righ' }, 401],
    [{ authorization: 'Bearer right2' }, 401],
    [{ authorization: 'Basic right' }, 401],
    [{ authorization: 'right' }, 401],
    [{ apiKeyHeader: '' }, 401],
  ])('%j: %s', (fields, status) => {
    expect(checkAccess(head(fields), rules, false)?.status).toBe(status);
  });

  it('is not asked for by /health alone', async () => {
    const { url } = await serveScripted(() => 'x', { access: { ...LOCAL, apiKey: 'k' } });
    const status = async (path: string) => (await fetch(url + path)).status;
    expect(await status('/health')).toBe(200);
    for (const path of ['/metrics', '/', '/v1/models', '/api/tags', '/nowhere'])
      expect(await status(path)).toBe(401);
  });
});

it('loopback is what it is', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.1.2.3']) expect(isLoopback(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', '192.168.1.1', 'localhost.evil', '1127.0.0.1'])
    expect(isLoopback(host)).toBe(false);
});
