import { expect, it } from 'vitest';
import type { StdioServerConfig } from '../../src/mcp/config/config.ts';
import { McpHost } from '../../src/mcp/mcp-host.ts';
import { referenceServer } from '../fixtures/mcp/reference-servers.ts';
import { fixture } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 60_000 };
const MEMORY = { ...fixture('polite'), name: 'memory', args: [referenceServer('memory')] };

/** The state of the server, and what a call of the tool gives. */
async function outcomes(config: StdioServerConfig, tool: string): Promise<[string, string]> {
  const host = new McpHost({ configs: [{ startTimeoutMs: 60_000, ...config }] });
  try {
    await host.start();
    const [server] = host.servers();
    if (server?.state !== 'ready') return [server?.state ?? '', server?.error ?? ''];
    return [server.state, (await host.call(tool, { text: 'hi' }, LIMIT)).text];
  } finally {
    await host.close();
  }
}

it.each(['legacy', 'auto', '2026-07-28'] as const)('a server of both eras, protocol %s', async protocol => {
  expect(await outcomes(fixture('polite', [], { protocol }), 'echo')).toEqual(['ready', 'hi']);
});

it('auto with a server that knows the older era only', async () => {
  const [state, text] = await outcomes({ ...MEMORY, protocol: 'auto' }, 'read_graph');
  expect([state, JSON.parse(text)]).toEqual(['ready', { entities: [], relations: [] }]);
});

it('auto with a server that does not even answer the question', async () => {
  const [state, text] = await outcomes(fixture('raw', ['plain'], { protocol: 'auto' }), 'ping');
  expect([state, text]).toEqual(['ready', expect.stringMatching(/^\d+$/)]);
});

it('the newer era alone, with a server that does not know it: failed, with a reason', async () => {
  const [state, error] = await outcomes({ ...MEMORY, protocol: '2026-07-28' }, 'read_graph');
  expect([state, error]).toEqual([
    'failed',
    expect.stringMatching(/^server 'memory' could not be started: ./),
  ]);
});

it.each(['dies-at-probe', 'silent-after-probe'])(
  'auto with a server that is %s: started again',
  async how => {
    const config = fixture('raw', [how], { protocol: 'auto', startTimeoutMs: 12_000 });
    const [state, text] = await outcomes(config, 'ping');
    expect([state, text]).toEqual(['ready', expect.stringMatching(/^\d+$/)]);
  },
);

it.each(['mark', 'indented', 'batched'])(
  'a server whose messages are written in another way: %s',
  async how => {
    expect(await outcomes(fixture('raw', [how]), 'ping')).toEqual(['ready', expect.stringMatching(/^\d+$/)]);
  },
);

it('a result that is null: an empty one', async () => {
  expect(await outcomes(fixture('raw', ['null-result']), 'run')).toEqual(['ready', '(no output)']);
});

it('a result that is no object: an error at once', async () => {
  await expect(outcomes(fixture('raw', ['text-result']), 'run')).rejects.toThrow('result is not an object');
});

it.each([
  ['old-version', "Server's protocol version is not supported: 1999-01-01"],
  ['no-capabilities', 'Invalid result for initialize: capabilities: Invalid input'],
  ['null-handshake', 'Invalid result for initialize: protocolVersion: Invalid input'],
])('a bad handshake is named: %s', async (how, reason) => {
  const [state, error] = await outcomes(fixture('raw', [how]), 'run');
  expect([state, error]).toEqual(['failed', expect.stringContaining(`could not be started: ${reason}`)]);
});
