import { afterEach, expect, it } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { EraMemory } from '../../../src/mcp/server/era-memory.ts';
import { type Asked, httpEntry, NEW_ERA, type Script, scripted } from '../../fixtures/mcp/http-servers.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that is remembered to be of the older era, and answers as the script has it. */
async function remembered(script: Script, startTimeoutMs = 10_000) {
  const asked: string[] = [];
  const server = await scripted(script, asked);
  closers.push(server.close);
  const config = httpEntry(server.url, { startTimeoutMs });
  const eras = new EraMemory();
  eras.note(config, 'legacy', 'old 1');
  const host = new McpHost({ configs: [config], eras });
  closers.push(() => host.close());
  await host.start();
  return { state: host.servers()[0]?.state, asked, isLegacy: eras.isLegacy(config), host };
}

const status =
  (code: number) =>
  ({ response }: Asked): undefined =>
    void response.writeHead(code).end('no');

it.each<[string, Script]>([
  ['an error of the protocol', {}],
  ['a 400, as for HTTP+SSE', { initialize: status(400) }],
  ['a 501', { initialize: status(501) }],
])('a server of the older era that is of the newer one now: found again (%s)', async (_, refusal) => {
  const { state, asked, isLegacy, host } = await remembered({ ...NEW_ERA, ...refusal });
  expect([state, isLegacy]).toEqual(['ready', false]);
  expect(asked.slice(0, 2)).toEqual(['initialize', 'server/discover']);
  expect((await host.call('run', {}, { timeoutMs: 20_000 })).text).toBe('ran');
});

it('one that does not answer is still of the older era', async () => {
  const { state, asked, isLegacy } = await remembered({ ...NEW_ERA, initialize: () => undefined }, 1000);
  expect([state, isLegacy, asked]).toEqual(['failed', true, ['initialize']]);
});

it('one that refuses something later is still of the older era', async () => {
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'old', version: '1' },
  };
  const { state, isLegacy } = await remembered({ initialize });
  expect([state, isLegacy]).toEqual(['failed', true]);
});
