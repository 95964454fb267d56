import { type Client, type McpSubscription, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { afterEach, expect, it } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { keepListening, Subscriptions } from '../../../src/mcp/server/subscriptions.ts';
import {
  type Asked,
  beginStream,
  heard,
  httpEntry,
  NEW_ERA,
  scripted,
} from '../../fixtures/mcp/http-servers.ts';
import { eventually } from '../../fixtures/mcp/support.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('changes are heard again after the stream of changes was lost, those in between too', async () => {
  const streams: Asked[] = [];
  let names = ['run'];
  const server = await scripted({
    ...NEW_ERA,
    'tools/list': () => ({
      ...NEW_ERA['tools/list'],
      tools: names.map(name => ({ name, inputSchema: { type: 'object' } })),
    }),
    'subscriptions/listen': asked => {
      streams.push(asked);
      beginStream(asked);
      const { notifications } = asked.params;
      asked.response.write(heard(asked, 'notifications/subscriptions/acknowledged', { notifications }));
      return undefined;
    },
  });
  closers.push(server.close);
  const host = new McpHost({ configs: [httpEntry(server.url)] });
  closers.push(() => host.close());
  await host.start();
  const offered = (): string =>
    host
      .tools()
      .map(({ tool }) => tool)
      .join();
  await eventually(() => streams.length === 1, 'it listens');
  names = ['run', 'missed'];
  streams[0]?.response.destroy();
  await eventually(() => offered() === 'run,missed', 'the change in between is found');
  names = ['run', 'heard'];
  const [, again] = streams;
  if (again) again.response.write(heard(again, 'notifications/tools/list_changed'));
  await eventually(() => offered() === 'run,heard', 'the change is heard');
});

/** A client whose streams of changes come one after another, and what was asked of it. */
function listener(...streams: (Promise<'local' | 'graceful' | 'remote'> | Error)[]) {
  const asked: unknown[] = [];
  const client = {
    transport: {},
    getProtocolEra: () => 'modern',
    getServerCapabilities: () => ({ resources: { subscribe: true } }),
    setNotificationHandler: () => undefined,
    listen: async (filter: object): Promise<McpSubscription> => {
      asked.push(filter);
      const closed = streams.shift() ?? new Promise(() => undefined);
      if (closed instanceof Error) throw closed;
      return { honoredFilter: filter, closed, close: async () => undefined };
    },
  };
  return { client: client as unknown as Client, asked };
}

const TOOLS = { toolsListChanged: true };
const { signal } = new AbortController();
const silent = { signal, onLog: () => undefined, onAgain: () => undefined };

it.each([
  ['an error of the protocol', new ProtocolError(-32601, 'Method not found')],
  ['a status of HTTP', new SdkHttpError('SEND_FAILED' as never, 'no', { status: 404 } as never)],
])('a server that refuses by %s is asked once', async (_, error) => {
  const { client, asked } = listener(error);
  await keepListening(client, TOOLS, silent);
  expect(asked).toHaveLength(1);
});

it('a stream that we have closed, or that tells of nothing, is not opened again', async () => {
  const local = listener(Promise.resolve('local'));
  await keepListening(local.client, TOOLS, silent);
  const empty = listener(Promise.resolve('graceful'));
  await keepListening(empty.client, {}, silent);
  expect([local.asked.length, empty.asked.length]).toEqual([1, 1]);
});

it('a connection that has ended is not asked again', async () => {
  const { client, asked } = listener(Promise.resolve('remote'));
  const listening = keepListening(client, TOOLS, silent);
  Object.assign(client, { transport: undefined });
  await listening;
  expect(asked).toHaveLength(1);
});

it('a lost stream of resources is opened again for all of them, which may have changed', async () => {
  const { client, asked } = listener(Promise.race([]), Promise.resolve('remote'));
  const updated: unknown[] = [];
  const end = new AbortController();
  const subscriptions = new Subscriptions(
    client,
    { onLog: () => undefined, onUpdated: uri => updated.push(uri) },
    end.signal,
  );
  await subscriptions.add('a:1');
  await subscriptions.add('a:2');
  await eventually(() => updated.length === 1, 'it is told');
  const all = { resourceSubscriptions: ['a:1', 'a:2'] };
  expect([asked, updated]).toEqual([[{ resourceSubscriptions: ['a:1'] }, all, all], [undefined]]);
  end.abort();
});
