import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../src/serve/page/page-routes.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { type ServeOptions, serveScripted } from './scripted.ts';

const FILES = {
  'index.html': '<!doctype html><title>page</title>',
  'page/index-1a.js': 'export {};',
  'page/index-2b.css': 'body {}',
  'page/icon-3c.svg': '<svg/>',
  'page/licences.txt': 'MIT',
};
const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';

const serve = (options: ServeOptions = {}) =>
  serveScripted(() => 'x', { page: readPage(tempFolder(FILES)), ...options });

/** One request with any headers and the bytes as they come. */
function ask(url: string, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const request = httpRequest(`${url}${path}`, { method, headers }, response => {
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      });
      request.on('error', reject);
      request.end();
    },
  );
}

describe('the page', () => {
  it('is what a browser gets; programs get one line', async () => {
    const { url } = await serve();
    const page = await ask(url, '/', { accept: HTML });
    expect(page.body.toString()).toBe(FILES['index.html']);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    });
    for (const accept of [undefined, '*/*', 'application/json', 'text/plain'])
      expect((await ask(url, '/', accept ? { accept } : {})).body.toString()).toBe('llm-host is running');
    expect((await ask(url, '/', { accept: HTML }, 'HEAD')).status).toBe(200);
  });

  it('may use nothing but its own files, and be in no frame', async () => {
    const { url } = await serve();
    for (const path of ['/', '/page/index-1a.js']) {
      const { headers } = await ask(url, path, { accept: HTML });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain(
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:/);
      expect(headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  it('its files have their types, are kept for good, and come packed to whoever takes that', async () => {
    const { url } = await serve();
    const types = {
      '/page/index-1a.js': 'text/javascript; charset=utf-8',
      '/page/index-2b.css': 'text/css; charset=utf-8',
      '/page/icon-3c.svg': 'image/svg+xml',
      '/page/licences.txt': 'text/plain; charset=utf-8',
    };
    for (const [path, type] of Object.entries(types)) {
      const plain = await ask(url, path);
      expect(plain.headers).toMatchObject({ 'content-type': type, 'cache-control': /immutable/ });
      const packed = await ask(url, path, { 'accept-encoding': 'br, gzip' });
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(packed.body)).toEqual(plain.body);
    }
  });

  it.each(['/page/', '/page/other.js', '/page/../index.html', '/page/%2e%2e/index.html', '/index.html'])(
    '%s is not there',
    async path => {
      const { port } = await serve();
      const status = await new Promise(resolve => {
        httpRequest({ port, path }, response => resolve(response.resume().statusCode)).end();
      });
      expect(status).toBe(404);
    },
  );
});

describe('who may open it', () => {
  const secret = { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], apiKey: 'k' };

  it('whoever reaches the server, without a key: it asks for one; nothing else is open', async () => {
    const { url } = await serve({ access: secret });
    expect((await ask(url, '/', { accept: HTML })).status).toBe(200);
    expect((await ask(url, '/page/index-1a.js')).status).toBe(200);
    for (const path of ['/v1/models', '/v1/tools', '/metrics', '/page/other.js'])
      expect([path, (await ask(url, path)).status]).toEqual([path, 401]);
    expect((await ask(url, '/', { accept: HTML }, 'POST')).status).toBe(401);
  });

  it('a link on another site opens it, but no other site may load or fetch it', async () => {
    const { url } = await serve();
    const site = { 'sec-fetch-site': 'cross-site', accept: HTML };
    const navigation = { ...site, 'sec-fetch-mode': 'navigate' };
    const status = async (headers: Record<string, string>, path = '/') =>
      (await ask(url, path, headers)).status;
    expect(await status({ ...navigation, 'sec-fetch-dest': 'document' })).toBe(200);
    expect(await status({ ...navigation, 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(
      await status({ ...site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }, '/page/index-1a.js'),
    ).toBe(403);
    expect(await status({ ...navigation, 'sec-fetch-dest': 'document' }, '/v1/models')).toBe(403);
    expect(await status({ accept: HTML, origin: 'http://evil.example' })).toBe(403);
    expect(await status({ accept: HTML, host: 'evil.example' })).toBe(403);
  });

  it('nobody with --no-page, or where it has not been built', async () => {
    for (const page of [undefined, readPage(tempFolder({})), readPage('/nowhere')]) {
      const { url } = await serve({ page });
      expect((await ask(url, '/', { accept: HTML })).body.toString()).toBe('llm-host is running');
      expect((await ask(url, '/page/index-1a.js')).status).toBe(404);
    }
    const { url } = await serve({ page: undefined, access: secret });
    expect((await ask(url, '/', { accept: HTML })).status).toBe(401);
  });
});
