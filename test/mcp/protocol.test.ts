import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { StdioServerConfig } from '../../src/mcp/config/config.ts';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { EraMemory } from '../../src/mcp/server/era-memory.ts';
import { httpEntry, listen, OLD_ERA } from '../fixtures/mcp/http-servers.ts';
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

it('auto with a server of the newer era that is slow to start: the same process, in the newer era', async () => {
  const memory = new EraMemory();
  const config = fixture('raw', ['late-modern', '3300'], { protocol: 'auto', startTimeoutMs: 20_000 });
  const log: string[] = [];
  const host = new McpHost({ configs: [config], eras: memory, onLog: (_server, line) => log.push(line) });
  try {
    await host.start();
    expect(host.servers()).toMatchObject([{ state: 'ready', tools: 2 }]);
    expect((await host.call('ping', {}, LIMIT)).text).toMatch(/^\d+$/);
    expect(memory.isLegacy(config)).toBe(false);
    expect(log.join('\n')).not.toContain('started again');
  } finally {
    await host.close();
  }
});

it('auto with a slow server that takes the older greeting too: the older era, and asked again next time', async () => {
  const memory = new EraMemory();
  const config = fixture('raw', ['late-both'], { protocol: 'auto', startTimeoutMs: 20_000 });
  const host = new McpHost({ configs: [config], eras: memory });
  try {
    await host.start();
    expect(host.servers()).toMatchObject([{ state: 'ready', tools: 2 }]);
    expect((await host.call('ping', {}, LIMIT)).text).toMatch(/^\d+$/);
    expect(memory.isLegacy(config)).toBe(false);
  } finally {
    await host.close();
  }
});

it('what a server logs before its handshake is in the log', async () => {
  const log: string[] = [];
  const host = new McpHost({
    configs: [fixture('raw', ['early-log'], { protocol: 'auto' })],
    onLog: (_server, line) => log.push(line),
  });
  await host.start();
  await host.close();
  expect(log).toContain('[info] up before the handshake');
});

it.each(['mark', 'indented', 'batched'])(
  'a server whose messages are written in another way: %s',
  async how => {
    expect(await outcomes(fixture('raw', [how]), 'ping')).toEqual(['ready', expect.stringMatching(/^\d+$/)]);
  },
);

it('a result that is null: an empty one', async () => {
  expect(await outcomes(fixture('raw', ['null-result']), 'run')).toEqual(['ready', '(no output)']);
});

it('null for what may be missing, in a list and in a result: missing', async () => {
  expect(await outcomes(fixture('raw', ['nulls']), 'run')).toEqual(['ready', '{"done":true}']);
});

it('null in a definition: missing', async () => {
  const host = new McpHost({ configs: [fixture('raw', ['nulls'])] });
  await host.start();
  const tools = host.tools().map(({ definition }) => definition.function);
  await host.close();
  const parameters = { type: 'object', properties: {} };
  expect(tools).toEqual([
    { name: 'run', parameters },
    { name: 'bare', parameters },
  ]);
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

it.each([
  ['500 and a page', 500, '<html>no such method</html>'],
  ['202 and nothing', 202, ''],
  ['400 and words', 400, 'Bad Request'],
])('auto over HTTP with an older server that answers the question by %s', async (_, status, body) => {
  const asked: string[] = [];
  const server = await listen(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    asked.push(method);
    const result = OLD_ERA[method];
    if (method === 'server/discover') return void response.writeHead(status).end(body);
    if (result === undefined) return void response.writeHead(202).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  const host = new McpHost({ configs: [httpEntry(server.url)] });
  try {
    await host.start();
    expect(host.servers()).toMatchObject([{ state: 'ready', tools: 1 }]);
    expect((await host.call('run', {}, LIMIT)).text).toBe('ran');
    await host.control.restart('web');
    expect(asked.filter(method => method === 'server/discover')).toHaveLength(1);
  } finally {
    await host.close();
    await server.close();
  }
});
