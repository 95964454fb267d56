import { createServer } from 'node:http';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkRedirect,
  checkServerUrl,
  guardedLookup,
  isLocalAddress,
  type LocalAccess,
} from '../../../src/mcp/config/address-guard.ts';

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:192.168.0.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '2002:a00::1',
    '2002:c0a8:101::1',
    '2001::1',
    '2001:db8::1',
    'not an address',
    '',
  ])('%s is local', address => {
    expect(isLocalAddress(address)).toBe(true);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:800::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s is public', address => {
    expect(isLocalAddress(address)).toBe(false);
  });
});

const verdict = (run: () => unknown): string => {
  try {
    run();
    return 'allowed';
  } catch (error) {
    return (error as Error).message.includes('must begin with') ? 'no url' : 'refused';
  }
};

describe('urls', () => {
  it.each([
    ['https://example.com/mcp', 'allowed'],
    ['http://example.com:8080/', 'allowed'],
    ['https://8.8.8.8/', 'allowed'],
    ['https://[2606:4700:4700::1111]/', 'allowed'],
    ['http://localhost/', 'refused'],
    ['http://LOCALHOST./', 'refused'],
    ['http://a.localhost/', 'refused'],
    ['http://nas/', 'refused'],
    ['http://printer.local/', 'refused'],
    ['http://router.lan/', 'refused'],
    ['http://db.internal/', 'refused'],
    ['http://127.0.0.1:3000/mcp', 'refused'],
    ['http://127.1/', 'refused'],
    ['http://2130706433/', 'refused'],
    ['http://0x7f000001/', 'refused'],
    ['http://0177.0.0.1/', 'refused'],
    ['http://0/', 'refused'],
    ['http://[::1]/', 'refused'],
    ['http://[::ffff:127.0.0.1]/', 'refused'],
    ['http://[::ffff:a9fe:a9fe]/', 'refused'],
    ['http://[64:ff9b::7f00:1]/', 'refused'],
    ['http://[fd00::1]/', 'refused'],
    ['http://169.254.169.254/latest/meta-data', 'refused'],
    ['http://192.168.1.1/', 'refused'],
    ['http://①②⑦.0.0.1/', 'refused'],
    ['http://example.com@127.0.0.1/', 'refused'],
    ['file:///etc/passwd', 'no url'],
    ['ftp://example.com/', 'no url'],
    ['gopher://127.0.0.1/', 'no url'],
    ['javascript:alert(1)', 'no url'],
    ['unix:///var/run/docker.sock', 'no url'],
    ['//example.com', 'no url'],
    ['http://', 'no url'],
    ['http://999.1.1.1/', 'no url'],
  ])('%s is %s', (url, expected) => {
    expect(verdict(() => checkServerUrl(url, 'never'))).toBe(expected);
    if (expected !== 'no url') {
      expect([checkServerUrl(url, 'named').href, checkServerUrl(url, 'always').href]).toHaveLength(2);
    }
  });

  it.each([
    ['https://example.com/', 'http://127.0.0.1/', 'never', 'refused'],
    ['https://example.com/', 'http://127.0.0.1/', 'named', 'refused'],
    ['https://example.com/', 'http://127.0.0.1/', 'always', 'allowed'],
    ['http://localhost:3000/', 'http://localhost:3000/login', 'named', 'allowed'],
    ['http://localhost:3000/', 'http://localhost:22/', 'named', 'refused'],
    ['http://localhost:3000/', 'http://192.168.0.1/', 'named', 'refused'],
    ['http://localhost:3000/', 'https://example.com/', 'named', 'allowed'],
    ['https://example.com/', 'file:///etc/passwd', 'always', 'no url'],
    ['https://example.com/', 'nonsense', 'always', 'no url'],
  ] as const)('a redirect from %s to %s (%s) is %s', (from, to, access, expected) => {
    expect(verdict(() => checkRedirect(from, to, access))).toBe(expected);
  });
});

/** A name server that gives these answers, one after the other. */
function answering(...answers: (readonly string[] | Error)[]): LookupFunction {
  return (_hostname, _options, callback) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) callback(answer, '', 0);
    else
      callback(
        null,
        (answer ?? []).map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
}

function resolve(lookup: LookupFunction, access: LocalAccess, host = 'example.com'): Promise<string> {
  return new Promise(done => {
    guardedLookup(access, lookup)(host, { all: true }, (error, found) => {
      if (error) done(error.message.includes('not allowed here') ? 'refused' : error.message);
      else done((found as { address: string }[]).map(({ address }) => address).join());
    });
  });
}

describe('names', () => {
  it.each([
    ['never', 'example.com', ['93.184.216.34'], '93.184.216.34'],
    ['never', 'example.com', ['127.0.0.1'], 'refused'],
    ['never', 'example.com', ['10.0.0.1', '93.184.216.34', '::1'], '93.184.216.34'],
    ['never', 'example.com', ['::ffff:127.0.0.1'], 'refused'],
    ['never', 'example.com', [], 'refused'],
    ['named', 'example.com', ['192.168.0.2'], 'refused'],
    ['named', 'nas', ['192.168.0.2'], '192.168.0.2'],
    ['named', 'mcp.home.arpa', ['192.168.0.2'], '192.168.0.2'],
    ['always', 'example.com', ['192.168.0.2'], '192.168.0.2'],
  ] as const)('%s: %s at %j is %s', async (access, host, addresses, expected) => {
    expect(await resolve(answering(addresses), access, host)).toBe(expected);
  });

  it('that cannot be resolved give the error of the name server', async () => {
    expect(await resolve(answering(new Error('ENOTFOUND')), 'never')).toBe('ENOTFOUND');
  });

  it('that change their mind (DNS rebinding) reach no local server', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>(ready => void server.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const rebinding = answering(['93.184.216.34'], ['127.0.0.1']);
    expect(await resolve(rebinding, 'never')).toBe('93.184.216.34');
    const failure = await new Promise<Error>(done => {
      const socket = connect({ port, host: 'example.com', lookup: guardedLookup('never', rebinding) });
      socket.on('error', done);
      socket.on('connect', () => done(new Error('connected')));
    });
    expect(failure.message).toContain("'example.com' (127.0.0.1) is on this machine or the local network");
    expect(requests).toEqual([]);
  });
});
