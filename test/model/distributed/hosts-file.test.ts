import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readHostsFile } from '../../../src/model/distributed/hosts-file.ts';
import { codeBlocks } from '../../docs/command-lines.ts';
import { tempFolder } from '../temp-folder.ts';

const OWN = { memoryBytes: 5e9, bytesPerSecond: 20e9 };
const A = { name: 'a', address: '10.0.0.1:9000', memoryGB: 96, bandwidthGBs: 546 };
const B = { name: 'b', address: '10.0.0.2:9000', memoryGB: 48, bandwidthGBs: 273 };
const LINK = { bandwidthGbits: 80, latencyMicroseconds: 7 };

const read = (content: object | string) =>
  readHostsFile(join(tempFolder({ 'hosts.json': content }), 'hosts.json'), OWN);

describe('a hosts file', () => {
  test('numbers become bytes and seconds', () => {
    const { hosts, link } = read({ hosts: [A, B], link: { ...LINK, mesh: true } });
    expect(hosts[1]).toEqual({
      name: 'b',
      address: '10.0.0.2:9000',
      memoryBytes: 48e9,
      bytesPerSecond: 273e9,
    });
    expect(link).toEqual({ bytesPerSecond: 10e9, latency: expect.closeTo(7e-6, 12), mesh: true });
  });

  test('the first host is this machine', () => {
    const { name, address } = A;
    expect(read({ hosts: [{ name, address }, B], link: LINK }).hosts[0]).toEqual({ name, address, ...OWN });
  });

  test('one host needs no link', () => {
    expect(read({ hosts: [A] }).link).toEqual({ bytesPerSecond: Infinity, latency: 0, mesh: false });
  });

  test('has comments if one likes', () => {
    expect(read(`{ /* two */ "hosts": [${JSON.stringify(A)}], }`).hosts).toHaveLength(1);
  });

  test('that of docs/distributed.md', () => {
    const block = codeBlocks('json').find(({ page }) => page === 'docs/distributed.md');
    expect(read(block?.text ?? '').hosts.map(({ name }) => name)).toEqual(['studio', 'laptop']);
  });
});

test.each([
  ['no JSON', '{ "hosts": [', /is not valid JSON: .* at 1:/],
  ['an empty file', '', /the file is empty/],
  ['a list', [A], /the file/],
  ['no hosts', { hosts: [] }, /hosts: /],
  ['an unknown key', { hosts: [{ ...A, memory: 1 }] }, /hosts\.0: .*memory/],
  [
    'a name that steers the terminal',
    { hosts: [{ ...A, name: 'a\u001b[2J' }] },
    /hosts\.0\.name: a name has/,
  ],
  ['a name of a host as its address', { hosts: [{ ...A, address: 'a:9000' }] }, /hosts\.0\.address: .*IPv4/],
  ['no memory', { hosts: [{ ...A, memoryGB: 0 }] }, /hosts\.0\.memoryGB/],
  ['a bandwidth that is text', { hosts: [{ ...A, bandwidthGBs: '546' }] }, /hosts\.0\.bandwidthGBs/],
  ['endless memory', '{ "hosts": [{ "name": "a", "address": "1.1.1.1:1", "memoryGB": 1e999 }] }', /memoryGB/],
  [
    'a negative latency',
    { hosts: [A, B], link: { ...LINK, latencyMicroseconds: -1 } },
    /latencyMicroseconds/,
  ],
  ['no link', { hosts: [A, B] }, /several hosts and no link/],
  ['one name twice', { hosts: [A, { ...B, name: 'a' }], link: LINK }, /two hosts with the name 'a'/],
  [
    'one address twice',
    { hosts: [A, { ...B, address: A.address }], link: LINK },
    /two hosts with the address/,
  ],
  [
    'another machine of unknown speed',
    { hosts: [A, { name: 'b', address: B.address, memoryGB: 8 }], link: LINK },
    /does not say bandwidthGBs of 'b'/,
  ],
  ['too many', { hosts: Array(65).fill(A), link: LINK }, /hosts: /],
])('%s is refused', (_, content, message) => {
  const run = () => read(content);
  expect(run).toThrow(message);
  expect(run).toThrow(/^--hosts: \//);
  expect(run).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test('a file that is not there, and one that is too large', () => {
  expect(() => readHostsFile(join(tempFolder(), 'hosts.json'), OWN)).toThrow(/does not exist/);
  expect(() => read(' '.repeat(2 ** 20 + 1))).toThrow(/is larger than 1024 KB/);
});
