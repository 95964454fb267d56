import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLog } from '../../src/run/log.ts';
import { prepareServers } from '../../src/run/prepare-servers.ts';
import { startServers } from '../../src/run/start-servers.ts';
import { tempFolder } from '../model/temp-folder.ts';

it('a server that is slow is a notice only as long as it is not up', async () => {
  const cwd = tempFolder();
  const own = { command: 'llm-host', args: ['server', 'calculator'] };
  const text = JSON.stringify({ servers: { one: own, two: { ...own, deny: ['power'] } } });
  const config = await prepareServers([{ path: join(cwd, 'mcp.json'), text }], {
    cwd,
    env: {},
    stateFolder: cwd,
  });
  const { host, report } = await startServers(config, {
    clientInfo: { name: 'test', version: '1' },
    stateFolder: cwd,
    log: openLog(join(cwd, 'x.log'), 'info', expect.unreachable),
    joinLater: true,
  });
  try {
    expect(report()).toEqual({
      summary: [],
      problems: ["Servers 'one', 'two' are still starting; their tools join when they are ready."],
    });
    const states = () => host.servers().map(({ state }) => state);
    await expect.poll(states, { timeout: 25_000 }).toEqual(['ready', 'ready']);
    expect(report()).toEqual({ summary: ['Server one: 6 tools', 'Server two: 6 tools'], problems: [] });
  } finally {
    await host.close();
  }
});
