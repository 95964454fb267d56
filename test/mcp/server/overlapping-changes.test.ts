import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { fixture, processesWith } from '../../fixtures/mcp/support.ts';

let opened: McpHost | undefined;

afterEach(() => opened?.close());

/** A host with one server, whose processes are marked. */
function marked() {
  const MARK = randomUUID();
  const host = new McpHost({ configs: [fixture('polite', [], { env: { MARK } })] });
  opened = host;
  return { host, count: () => processesWith(MARK).length };
}

const AT_FIRST: Record<string, (host: McpHost) => Promise<unknown>[]> = {
  'two starts': host => [host.start(), host.start()],
  'a start and a restart': host => [host.start(), host.restart('polite')],
};
const LATER: typeof AT_FIRST = {
  'two restarts': host => [host.restart('polite'), host.restart('polite')],
  'disabled and enabled during a restart': host => [
    host.restart('polite'),
    host.disable('polite'),
    host.enable('polite'),
  ],
};

it.each(Object.entries({ ...AT_FIRST, ...LATER }))(
  '%s at once: one process, and none after close',
  async (name, changes) => {
    const { host, count } = marked();
    if (name in LATER) await host.start();
    await Promise.all(changes(host));
    expect(host.servers()[0]?.state).toBe('ready');
    expect((await host.call('echo', { text: 'hi' }, { timeoutMs: 20_000 })).text).toBe('hi');
    expect(count()).toBe(1);
    await host.close();
    expect(count()).toBe(0);
  },
);

it('an overtaken restart is over when the server is as it was last wanted', async () => {
  const { host, count } = marked();
  await host.start();
  const restart = host.restart('polite');
  const disable = host.disable('polite');
  expect((await restart).state).toBe('disabled');
  await disable;
  expect(count()).toBe(0);
  const enable = host.enable('polite');
  const again = host.restart('polite');
  expect((await enable).state).toBe('ready');
  await again;
});

it('closed during a restart: it stays closed', async () => {
  const { host, count } = marked();
  await host.start();
  const restart = host.restart('polite');
  await host.close();
  expect((await restart).state).toBe('closed');
  expect(count()).toBe(0);
});
