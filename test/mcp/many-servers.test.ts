import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { StartSlots } from '../../src/mcp/server/start-slots.ts';
import { FIXTURES, fixture } from '../fixtures/mcp/support.ts';
import { tempFolder } from '../model/temp-folder.ts';

const TIMEOUT = { timeout: 60_000 };
const TOOLS = JSON.stringify([{ name: 'run', inputSchema: { type: 'object' } }]);

let host: McpHost | undefined;
afterEach(() => host?.close());

const small = (name: string, waitMs = 0) => ({ ...fixture('small', [name, TOOLS, String(waitMs)]), name });
const states = () => host?.servers().map(({ state }) => state) ?? [];

test(
  'servers start side by side, tools arrive as they come, and one notice tells of many',
  TIMEOUT,
  async () => {
    const configs = [small('slow', 6000), ...Array.from({ length: 9 }, (_, at) => small(`s${at}`))];
    host = new McpHost({ configs, slots: new StartSlots(2, 300) });
    let most = 0;
    host.onChange(() => {
      most = Math.max(most, host?.tools().length ?? 0);
    });
    const started = host.start();
    await expect.poll(() => host?.tools().length, { timeout: 30_000 }).toBeGreaterThan(0);
    await host.settled({ quietMs: 60_000, limitMs: 60_000 });
    await started;
    expect(states()).toEqual(configs.map(() => 'ready'));
    expect(host.tools()).toHaveLength(10);
    expect(host.takeNotices()).toEqual(['10 servers are ready: 10 tools.']);
    expect(host.takeNotices()).toEqual([]);
  },
);

test(
  'settled: not for a mute server beyond its patience, nor once it is cancelled or all are up',
  TIMEOUT,
  async () => {
    host = new McpHost({ configs: [small('one'), { ...fixture('raw', ['mute']), name: 'mute' }] });
    void host.start();
    await host.settled({ quietMs: 60_000, limitMs: 50 });
    expect(states()[1]).toBe('starting');
    const abort = new AbortController();
    const waiting = host.settled({ quietMs: 60_000, limitMs: 60_000 }, abort.signal);
    abort.abort();
    await waiting;
    await expect.poll(() => states()[0], { timeout: 30_000 }).toBe('ready');
    await host.settled({ quietMs: 1, limitMs: 60_000 });
    await host.disable('mute');
    await host.settled({ quietMs: 60_000, limitMs: 60_000 });
    await host.close();
    await host.settled({ quietMs: 60_000, limitMs: 60_000 });
  },
);

test('settled: what is known of servers that are up is not told again', TIMEOUT, async () => {
  host = new McpHost({ configs: [small('one'), small('two')] });
  const started = host.start();
  await host.settled({ quietMs: 60_000, limitMs: 60_000 });
  host.dropReadyNotices();
  await started;
  expect(host.takeNotices()).toEqual([]);
});

test('a package that is installed first is told so', TIMEOUT, async () => {
  const folder = tempFolder();
  const npx = join(folder, 'npx');
  const go = join(folder, 'go');
  writeFileSync(
    npx,
    `#!/bin/sh\nwhile [ ! -e '${go}' ]; do sleep 0.1; done\nexec '${process.execPath}' '${join(FIXTURES, 'small.mjs')}' pkg '${TOOLS}'\n`,
  );
  chmodSync(npx, 0o755);
  const entry = { ...small('pkg'), command: npx, args: ['-y', 'some-package'], env: { HOME: folder } };
  host = new McpHost({ configs: [entry] });
  const started = host.start();
  expect(host.servers()).toEqual([{ name: 'pkg', state: 'starting', tools: 0, installing: true }]);
  writeFileSync(go, '');
  await started;
  expect(host.servers()).toEqual([{ name: 'pkg', state: 'ready', tools: 1 }]);
});
