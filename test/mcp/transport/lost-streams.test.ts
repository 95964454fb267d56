import { afterEach, describe, expect, it, vi } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import {
  type Asked,
  beginStream,
  event,
  httpEntry,
  OLD_ERA,
  type Script,
  scripted,
  strictSse,
} from '../../fixtures/mcp/http-servers.ts';
import { eventually, SHORT_WAITS } from '../../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 20_000 };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function hostOf(script: Script, asked: string[] = []): Promise<McpHost> {
  const server = await scripted({ ...OLD_ERA, ...script }, asked);
  closers.push(server.close);
  const host = new McpHost({ configs: [httpEntry(server.url)], limits: SHORT_WAITS });
  closers.push(() => host.close());
  await host.start();
  return host;
}

/** How a stream ends before its answer. */
const LOSSES: Record<string, (asked: Asked) => undefined> = {
  ends: asked => {
    beginStream(asked);
    asked.response.end();
  },
  breaks: asked => {
    beginStream(asked);
    setImmediate(() => asked.response.destroy());
  },
};

/** The first request of a method loses its stream, the next are answered. */
function firstLost(lose: (asked: Asked) => undefined, result: object) {
  let lost = false;
  return (asked: Asked): object | undefined => {
    if (lost) return result;
    lost = true;
    return lose(asked);
  };
}

describe.each(Object.entries(LOSSES))('a stream that %s before the answer', (_, lose) => {
  it('ends its call at once, and the server stays usable', async () => {
    const host = await hostOf({ 'tools/call': firstLost(lose, { content: [] }) });
    await expect(host.call('run', {}, LIMIT)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: "Tool 'run' failed: the connection was lost before the answer",
    });
    expect((await host.call('run', {}, LIMIT)).isError).toBe(false);
  });

  it.each(['initialize', 'tools/list'])('ends the start with that reason (%s)', async method => {
    const host = await hostOf({ [method]: lose });
    expect(host.servers()[0]).toMatchObject({
      state: 'failed',
      error: "server 'web' could not be started: the connection was lost before the answer",
    });
  });

  it('is no answer to the question how a task stands, which is asked again', async () => {
    const task = { taskId: 't', createdAt: '', lastUpdatedAt: '', ttl: 60_000, pollInterval: 1 };
    const host = await hostOf({
      initialize: {
        ...OLD_ERA.initialize,
        capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
      },
      'tools/list': {
        tools: [{ name: 'run', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
      },
      'tools/call': { task: { ...task, status: 'working' } },
      'tasks/get': firstLost(lose, { ...task, status: 'completed' }),
      'tasks/result': { content: [{ type: 'text', text: 'done' }] },
    });
    expect((await host.call('run', {}, LIMIT)).text).toBe('done');
  });

  it('is no answer to a ping', async () => {
    const asked: string[] = [];
    const host = await hostOf({ 'tools/call': () => undefined, ping: lose }, asked);
    await expect(host.call('run', {}, { timeoutMs: 100 })).rejects.toThrow('timed out');
    await eventually(() => asked.filter(method => method === 'initialize').length === 2, 'it was restarted');
  });
});

describe('a request that is accepted by status 202, without an answer', () => {
  const accept = ({ response }: Asked): undefined => void response.writeHead(202).end();
  const WHY = 'the server accepted the request (HTTP status 202) without answering it';

  it('fails its call at once, and the server stays usable', async () => {
    const host = await hostOf({ 'tools/call': firstLost(accept, { content: [] }) });
    await expect(host.call('run', {}, LIMIT)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: `Tool 'run' failed: ${WHY}`,
    });
    expect((await host.call('run', {}, LIMIT)).isError).toBe(false);
  });

  it.each(['initialize', 'tools/list'])('ends the start with that reason (%s)', async method => {
    const host = await hostOf({ [method]: accept });
    expect(host.servers()[0]).toMatchObject({
      state: 'failed',
      error: `server 'web' could not be started: ${WHY}`,
    });
  });

  it('is the answer of an older server to the question for the newer era', async () => {
    const asked: string[] = [];
    const host = await hostOf({ 'server/discover': accept }, asked);
    expect(host.servers()[0]).toMatchObject({ state: 'ready', tools: 1 });
    expect(asked.slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });
});

it('a stream with event ids is resumed instead', async () => {
  let waiting: string | number | undefined;
  const host = await hostOf({
    'tools/call': asked => {
      waiting = asked.id;
      beginStream(asked);
      asked.response.end('retry: 1\nid: 7\ndata:\n\n');
    },
    resumed: asked => {
      if (waiting === undefined) return void asked.response.writeHead(405).end();
      beginStream(asked);
      asked.response.end(event({ id: waiting, result: { content: [{ type: 'text', text: 'late' }] } }));
    },
  });
  expect((await host.call('run', {}, LIMIT)).text).toBe('late');
});

describe('HTTP+SSE', () => {
  async function sseHost(script: Script) {
    const asked: string[] = [];
    const server = await strictSse({ ...OLD_ERA, ...script }, asked);
    closers.push(server.close);
    const host = new McpHost({ configs: [httpEntry(server.url, { transport: 'sse' })], limits: SHORT_WAITS });
    closers.push(() => host.close());
    await host.start();
    return { server, host, asked };
  }
  const greetings = (asked: readonly string[]): number =>
    asked.filter(method => method === 'initialize').length;

  it('a server whose event stream is lost gets a new session, and the pending call ends', async () => {
    let hangs = true;
    const { server, host, asked } = await sseHost({
      'tools/call': () => (hangs ? undefined : { content: [{ type: 'text', text: 'ran' }] }),
    });
    const call = host.call('run', {}, LIMIT);
    const failure = expect(call).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: "server 'web' lost its event stream during the call of 'run'",
    });
    await eventually(() => asked.includes('tools/call'), 'the call is there');
    hangs = false;
    server.drop();
    await failure;
    expect((await host.call('run', {}, LIMIT)).text).toBe('ran');
    expect(greetings(asked)).toBe(2);
  });

  it('losses that are far apart are no row of failures', async () => {
    const { server, host, asked } = await sseHost({});
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    try {
      for (let lost = 1; lost <= 4; lost++) {
        passed += 31_000;
        server.drop();
        await eventually(() => greetings(asked) === lost + 1, 'another session');
        await eventually(() => host.servers()[0]?.state === 'ready', 'it is ready');
      }
    } finally {
      clock.mockRestore();
    }
  });

  it('losses one after another end in a failed server', async () => {
    const { server, host } = await sseHost({});
    for (let lost = 0; lost < 4; lost++) {
      await eventually(() => host.servers()[0]?.state === 'ready', 'it is ready');
      server.drop();
      await eventually(() => host.servers()[0]?.state !== 'ready', 'it has noticed');
    }
    expect(host.servers()[0]).toMatchObject({ state: 'failed', error: 'lost its event stream' });
  });

  it('a server that was away for longer than the restarts is tried again by each call', async () => {
    const { server, host, asked } = await sseHost({});
    await server.close();
    await eventually(() => host.servers()[0]?.state === 'failed', 'it has failed');
    expect(host.tools().map(({ tool }) => tool)).toEqual(['run']);
    host.takeNotices();
    await expect(host.call('run', {}, LIMIT)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringMatching(/^server 'web' is not running: .*ECONNREFUSED/s),
    });
    const back = await strictSse(OLD_ERA, asked, server.port);
    closers.push(back.close);
    const calls = await Promise.all([host.call('run', {}, LIMIT), host.call('run', {}, LIMIT)]);
    expect(calls.map(({ text }) => text)).toEqual(['ran', 'ran']);
    expect(greetings(asked)).toBe(2);
    expect(host.takeNotices()).toEqual([expect.stringContaining('restarted')]);
  });
});
