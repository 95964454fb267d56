import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalAccess } from '../../../src/mcp/config/address-guard.ts';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { GuardedFetch } from '../../../src/mcp/transport/guarded-fetch.ts';
import { httpEntry, type Listening, listen } from '../../fixtures/mcp/http-servers.ts';

/** What must not be reached, on a port of 127.0.0.1. */
let local: Listening;
let dns: Socket;
let lookup: LookupFunction;

beforeAll(async () => {
  local = await listen((_request, response) => response.end('reached'));
  dns = await nameServer({
    'public.test': ['93.184.216.34'],
    'local.test': ['127.0.0.1'],
    'private.test': ['10.0.0.1'],
    'metadata.test': ['169.254.169.254'],
    'any.test': ['0.0.0.0'],
    'rebinding.test': ['93.184.216.34', '127.0.0.1'],
  });
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${(dns.address() as AddressInfo).port}`]);
  lookup = (hostname, _options, callback) =>
    resolver.resolve4(hostname, (error, addresses = []) =>
      callback(
        error,
        addresses.map(address => ({ address, family: 4 })),
      ),
    );
});
afterAll(async () => {
  dns.close();
  await local.close();
});

/** A name server on loopback: each name's addresses in turn, then the last for ever. */
async function nameServer(names: Readonly<Record<string, string[]>>): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] as number; length > 0; length = query[at] as number) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const addresses = names[labels.join('.')] ?? [];
    const address = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? '';
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), answer]), from.port, from.address);
  });
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}

/** What comes of asking for the url, written in the entry of a server: `reached`, `refused`, or Node's own error. */
async function ask(url: string, access: LocalAccess): Promise<string> {
  const serverUrl = url.replaceAll('PORT', String(local.port));
  const http = new GuardedFetch({ serverUrl, access, lookup });
  try {
    const response = await http.fetch(serverUrl, { signal: AbortSignal.timeout(10_000) });
    return await response.text();
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return code === 'CONFIG' && /not allowed here|must begin with/.test(message) ? 'refused' : message;
  } finally {
    http.close();
  }
}

it.each<[url: string, access: LocalAccess, outcome: string]>([
  ['http://127.0.0.1:PORT/', 'never', 'refused'],
  ['http://127.1:PORT/', 'never', 'refused'],
  ['http://127.0.1:PORT/', 'never', 'refused'],
  ['http://2130706433:PORT/', 'never', 'refused'],
  ['http://0x7f000001:PORT/', 'never', 'refused'],
  ['http://0x7f.0.0.1:PORT/', 'never', 'refused'],
  ['http://0177.0.0.1:PORT/', 'never', 'refused'],
  ['http://017700000001:PORT/', 'never', 'refused'],
  ['http://0:PORT/', 'never', 'refused'],
  ['http://0.0.0.0:PORT/', 'never', 'refused'],
  ['http://127.0.0.1.:PORT/', 'never', 'refused'],
  ['http://%31%32%37.0.0.1:PORT/', 'never', 'refused'],
  ['http://①②⑦.⓪.⓪.①:PORT/', 'never', 'refused'],
  ['http://127。0。0。1:PORT/', 'never', 'refused'],
  ['http://[::1]:PORT/', 'never', 'refused'],
  ['http://[::]:PORT/', 'never', 'refused'],
  ['http://[::ffff:127.0.0.1]:PORT/', 'never', 'refused'],
  ['http://[::ffff:7f00:1]:PORT/', 'never', 'refused'],
  ['http://[0:0:0:0:0:ffff:7f00:0001]:PORT/', 'never', 'refused'],
  ['http://[64:ff9b::7f00:1]:PORT/', 'never', 'refused'],
  ['http://[2002:7f00:1::]:PORT/', 'never', 'refused'],
  ['http://public.test@127.0.0.1:PORT/', 'never', 'refused'],
  ['http://127.0.0.1:PORT#@public.test/', 'never', 'refused'],
  ['http://localhost:PORT/', 'never', 'refused'],
  ['http://LocalHost.:PORT/', 'never', 'refused'],
  ['http://a.localhost:PORT/', 'never', 'refused'],
  ['http://169.254.169.254/latest/meta-data', 'never', 'refused'],
  ['http://10.1.2.3:PORT/', 'never', 'refused'],
  ['http://[fe80::1]:PORT/', 'never', 'refused'],
  ['file:///etc/passwd', 'always', 'refused'],
  ['unix:///var/run/docker.sock', 'always', 'refused'],
  ['http://local.test:PORT/', 'never', 'refused'],
  ['http://local.test:PORT/', 'named', 'refused'],
  ['http://private.test:PORT/', 'never', 'refused'],
  ['http://metadata.test/latest/meta-data', 'named', 'refused'],
  ['http://any.test:PORT/', 'never', 'refused'],
  ['http://127.0.0.1:PORT/', 'named', 'reached'],
  ['http://2130706433:PORT/', 'named', 'reached'],
  ['http://local.test:PORT/', 'always', 'reached'],
])('%s (%s) is %s', async (url, access, outcome) => {
  const before = local.requests.length;
  expect(await ask(url, access)).toBe(outcome);
  expect(local.requests.length - before).toBe(outcome === 'reached' ? 1 : 0);
});

it('a name that is public at the first question and local at the second (DNS rebinding) is refused then', async () => {
  const serverUrl = `http://rebinding.test:${local.port}/`;
  const first = await new Promise(resolve => lookup('rebinding.test', {}, (_error, found) => resolve(found)));
  expect(first).toEqual([{ address: '93.184.216.34', family: 4 }]);
  const before = local.requests.length;
  expect(await ask(serverUrl, 'never')).toBe('refused');
  expect(await ask(serverUrl, 'named')).toBe('refused');
  expect(local.requests).toHaveLength(before);
});

it.each([
  'http://127.0.0.1:PORT/mcp',
  'http://localhost:PORT/mcp',
  'http://2130706433:PORT/mcp',
  'http://[::ffff:127.0.0.1]:PORT/mcp',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  '//127.0.0.1:PORT/mcp',
])('a server on one port that redirects to %s does not get there', async target => {
  const location = target.replace('PORT', String(local.port));
  const redirecting = await listen((_request, response) => response.writeHead(307, { location }).end());
  const host = new McpHost({ configs: [httpEntry(redirecting.url)] });
  const before = local.requests.length;
  try {
    await host.start();
    expect(host.servers()[0]?.state).toBe('failed');
    expect(redirecting.requests.length).toBeGreaterThan(0);
    expect(local.requests).toHaveLength(before);
  } finally {
    await host.close();
    await redirecting.close();
  }
});
