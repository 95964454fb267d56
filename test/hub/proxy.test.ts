import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proxyFor, proxyHeaders, TunnelAgent } from '../../src/hub/proxy.ts';
import { MAIN, runProgram } from '../e2e/program.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { hubPlace } from './hub-place.ts';

test('which proxy for which address', () => {
  const of = (url: string, env: NodeJS.ProcessEnv) => proxyFor(new URL(url), env)?.href;
  const env = {
    HTTPS_PROXY: 'http://secure:1',
    http_proxy: 'plain:2',
    NO_PROXY: 'local, .corp.example,x.y:8080',
  };
  expect(of('https://huggingface.co/x', env)).toBe('http://secure:1/');
  expect(of('http://huggingface.co/x', env)).toBe('http://plain:2/');
  expect(of('https://local/x', env)).toBeUndefined();
  expect(of('https://a.local/x', env)).toBeUndefined();
  expect(of('https://notlocal/x', env)).toBe('http://secure:1/');
  expect(of('https://hub.corp.example/x', env)).toBeUndefined();
  expect(of('http://x.y:8080/', env)).toBeUndefined();
  expect(of('http://x.y:80/', env)).toBe('http://plain:2/');
  expect(of('https://x/', { ALL_PROXY: 'http://all:3', NO_PROXY: '*' })).toBeUndefined();
  expect(of('https://x/', { ALL_PROXY: 'http://all:3' })).toBe('http://all:3/');
  expect(of('https://x/', { https_proxy: '', HTTPS_PROXY: 'http://b:4' })).toBe('http://b:4/');
  expect(() => of('https://x/', { HTTPS_PROXY: 'socks5://me:secret@s:5' })).toThrow(
    'The proxy in the environment is not an http address: socks5://***@s:5.',
  );
});

test('a percent sign in a login that is no escape stands for itself', () => {
  const login = `Basic ${Buffer.from('50%:100%zz').toString('base64')}`;
  expect(proxyHeaders(new URL('http://50%:100%zz@proxy:1'))).toEqual({ 'proxy-authorization': login });
});

test('a proxy that takes the connection and opens no tunnel is given up', async () => {
  const server = createTcpServer(socket => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const proxy = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const asked = https.request('https://hub.example/', { agent: new TunnelAgent(proxy, {}), timeout: 50 });
  asked.end();
  const [error] = await once(asked, 'error').catch(thrown => [thrown]);
  expect(error).toMatchObject({ message: `The proxy ${proxy.host} did not answer.`, temporary: true });
});

/** A proxy for both kinds of addresses that counts what goes through it. */
async function startProxy(login?: string) {
  const seen: string[] = [];
  const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${new URL(incoming.url as string).host}`);
    const options = { method: incoming.method ?? 'GET', headers: incoming.headers };
    request(incoming.url as string, options, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }).end();
  });
  server.on('connect', (incoming, client, head) => {
    seen.push(`CONNECT ${incoming.url}`);
    if (wanted && incoming.headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host, port] = (incoming.url as string).split(':');
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('http addresses: the whole download goes through the proxy', async () => {
  const { seen, address } = await startProxy();
  const { hub, env, pull } = await hubPlace();
  await pull('org/model', { env: { ...env, HTTP_PROXY: `http://${address}` } });
  const hosts = [hub.endpoint, hub.cdnOrigin].map(origin => `GET ${new URL(origin).host}`);
  expect(new Set(seen)).toEqual(new Set(hosts));
  expect(seen.length).toBe(hub.requests.length);
});

const openssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!openssl)('https addresses (needs openssl for a certificate)', () => {
  async function secureServer(handle: (answer: ServerResponse) => void) {
    const folder = tempFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', key, '-out', cert];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        ...files,
        ...subject,
      ],
      { stdio: 'ignore' },
    );
    const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, answer) =>
      handle(answer),
    );
    server.listen(0, 'localhost');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { endpoint: `https://localhost:${(server.address() as AddressInfo).port}`, cert };
  }

  test('a tunnel, with a name and a password, and trust in the certificate that the user names', async () => {
    const { seen, address } = await startProxy('me:se cret');
    const { endpoint, cert } = await secureServer(answer =>
      answer.writeHead(401, { 'x-error-code': 'RepoNotFound' }).end(),
    );
    const home = tempFolder();
    const env = { PATH: process.env.PATH, HOME: home, HF_ENDPOINT: endpoint };
    const proxied = { ...env, HTTPS_PROXY: `http://me:se%20cret@${address}` };
    const trusting = { ...proxied, NODE_EXTRA_CA_CERTS: cert };
    const pull = (use: NodeJS.ProcessEnv) => runProgram(MAIN, ['pull', 'org/model'], { cwd: home, env: use });
    expect((await pull(trusting)).stderr).toContain(
      `${endpoint} has no model 'org/model', or it is private (401).`,
    );
    expect(seen).toEqual([`CONNECT ${new URL(endpoint).host}`]);
    const distrusting = await pull(proxied);
    expect(distrusting.stderr).toMatch(
      /The certificate of localhost:\d+ is not trusted: self-signed certificate\.\n.*NODE_EXTRA_CA_CERTS/,
    );
    expect(distrusting.code).toBe(66);
    const refused = await pull({ ...trusting, HTTPS_PROXY: `http://${address}` });
    expect(refused.stderr).toMatch(
      /The proxy 127\.0\.0\.1:\d+ refused the connection \(407\)\.\nIt needs a name/,
    );
  });

  test('a redirect to an address without encryption is not followed', async () => {
    const location = 'http://127.0.0.1:1/x';
    const { endpoint, cert } = await secureServer(answer => answer.writeHead(302, { location }).end());
    const home = tempFolder();
    const env = { PATH: process.env.PATH, HOME: home, HF_ENDPOINT: endpoint, NODE_EXTRA_CA_CERTS: cert };
    const { stderr, code } = await runProgram(MAIN, ['pull', 'org/model'], { cwd: home, env });
    expect(stderr).toContain(`${new URL(endpoint).host} redirects to 127.0.0.1:1 without encryption`);
    expect(code).toBe(66);
  });
});
