import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { inspect } from '../../../src/cli/commands/inspect.ts';
import type { CommandContext } from '../../../src/cli/options/command.ts';
import { runWorker } from '../../../src/distributed/worker/run-worker.ts';
import { SECRET } from '../../distributed/scripted-worker.ts';
import { freePort } from '../../e2e/distributed/machines.ts';
import { MODELS } from '../model-files.ts';
import { tempFolder } from '../temp-folder.ts';

const RANK = fileURLToPath(new URL('../../distributed/worker/rank-script.mjs', import.meta.url));

const HOSTS = {
  hosts: [
    { name: 'this-one', address: '10.0.0.1:9000' },
    { name: 'a-name-that-is-rather-long', address: '10.0.0.2:9000', memoryGB: 1, bandwidthGBs: 0.01 },
  ],
  link: { bandwidthGbits: 10, latencyMicroseconds: 50 },
};

const hostsFile = (content: object) => join(tempFolder({ 'hosts.json': content }), 'hosts.json');

async function printed(args: object): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    text += chunk;
    return true;
  });
  expect(await inspect.run({ model: join(MODELS, 'tiny-bf16'), ...args }, {} as CommandContext)).toBe(0);
  return text;
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('the plan stands below what is said of the model', async () => {
  const lines = (await printed({ hosts: hostsFile(HOSTS) })).split('\n');
  const from = lines.findIndex(line => line.startsWith('machines'));
  expect(lines[from - 1]).toMatch(/^speed /);
  expect(lines.slice(from)).toEqual([
    expect.stringMatching(/^machines {6}2, each with /),
    expect.stringMatching(/^ {2}this-one {4}10\.0\.0\.1:9000: .*: fits$/),
    expect.stringMatching(/^ {2}a-name-that-is-rather-long 10\.0\.0\.2:9000: .* of 1\.00 GB \(weights /),
    expect.stringMatching(/^wire .* a token in \d+ messages, /),
    expect.stringMatching(/^together {6}at most .* tok\/s/),
    expect.stringMatching(/^advice {8}It does not pay: this-one holds the model by itself/),
    '',
  ]);
});

test('as JSON it is one more field, which is not there without hosts', async () => {
  const { plan } = JSON.parse(await printed({ hosts: hostsFile(HOSTS), json: true }));
  expect(plan).toMatchObject({ shares: [{ name: 'this-one' }, { name: 'a-name-that-is-rather-long' }] });
  vi.restoreAllMocks();
  expect(JSON.parse(await printed({ json: true }))).not.toHaveProperty('plan');
});

test('one host: nothing to divide', async () => {
  const text = await printed({ hosts: hostsFile({ hosts: HOSTS.hosts.slice(0, 1) }) });
  expect(text).toMatch(/^machines {6}1: nothing to divide$/m);
  expect(text).toMatch(/^wire {10}0 bytes a token in 0 messages/m);
  expect(text).not.toMatch(/^advice/m);
});

test('--probe: what is measured, or the machine that is not there, by name', async () => {
  const control = { host: '127.0.0.1', port: await freePort() };
  const [here, there] = HOSTS.hosts.map(host => ({
    ...host,
    address: host.address.replace('10.0.0', '127.0.0'),
  }));
  const folder = tempFolder({
    'hosts.json': {
      hosts: [here, { ...there, address: '127.0.0.1:9001', controlPort: control.port }],
      secretFile: 'secret',
    },
    secret: SECRET,
  });
  chmodSync(join(folder, 'secret'), 0o600);
  const hosts = join(folder, 'hosts.json');
  await expect(printed({ hosts, probe: true })).rejects.toThrow(
    `a-name-that-is-rather-long (127.0.0.1:${control.port}) runs no worker`,
  );
  const worker = await runWorker({
    listen: control,
    secret: SECRET,
    rankProcess: RANK,
    once: false,
    onNote: () => undefined,
  });
  onTestFinished(() => worker.close());
  vi.restoreAllMocks();
  const { plan, probe } = JSON.parse(await printed({ hosts, probe: true, json: true }));
  expect(probe).toEqual([
    {
      title: `a-name-that-is-rather-long (127.0.0.1:${control.port})`,
      latency: expect.any(Number),
      bytesPerSecond: expect.any(Number),
    },
  ]);
  // Of either way to divide it: so many steps, one behind the other.
  const steps = plan.wire.latencySeconds / probe[0].latency;
  expect(steps).toBeCloseTo(Math.round(steps), 6);
  expect(steps).toBeGreaterThan(0);
});

test('--probe without --hosts is refused', async () => {
  await expect(printed({ probe: true })).rejects.toMatchObject({ code: 'USAGE' });
});

test('a broken file is refused before anything is printed', async () => {
  await expect(printed({ hosts: hostsFile({ hosts: [] }) })).rejects.toMatchObject({ code: 'USAGE' });
});
