import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { httpEntry, listen } from '../../fixtures/mcp/http-servers.ts';

const LIMIT = { timeoutMs: 60_000 };
const NASTY = 'bad\u001b]52;c;aGFja2Vk\u0007\u001b[2J\u202eevil\u200b end';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNCLEAN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Call = (response: ServerResponse, id: number) => void;

/** A host whose one server, of Streamable HTTP by hand, answers calls like this. */
async function hostOf(call: Call): Promise<McpHost> {
  const server = await listen((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(body);
      const result = (value: object): void => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: value }));
      };
      if (method === 'tools/call') call(response, id);
      else if (method === 'tools/list') result({ tools: [{ name: 'run', inputSchema: { type: 'object' } }] });
      else if (method === 'initialize') {
        const serverInfo = { name: 'hostile', version: '1' };
        result({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
      } else response.writeHead(202).end();
    });
  });
  closers.push(() => server.close());
  const host = new McpHost({ configs: [httpEntry(server.url)] });
  closers.push(() => host.close());
  await host.start();
  return host;
}

const failureOf = (host: McpHost): Promise<string> =>
  host.call('run', {}, LIMIT).then(
    ({ text }) => `no failure: ${text}`,
    error => (error as Error).message,
  );

/** An endless event stream, as fast as it is read. */
const pour = (response: ServerResponse, events: string): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const more = (): void => {
    while (!response.destroyed && response.write(events));
    response.once('drain', more);
  };
  more();
};
const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

it.each([
  ['requests', event({ id: 'same', method: 'ping' }), 'more than 100 requests a second'],
  [
    'notifications',
    event({ method: 'notifications/message', params: { level: 'info', data: 'spam' } }),
    'more than 1000 notifications a second',
  ],
])('endless %s on a stream: the server is stopped with its reason', async (_, message, reason) => {
  const host = await hostOf(response => pour(response, message.repeat(100)));
  const before = process.memoryUsage().rss;
  expect(await failureOf(host)).toContain(reason);
  expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
});

it('the body of a refusal is clean and cut', async () => {
  const host = await hostOf(response => response.writeHead(500).end(NASTY.repeat(20_000)));
  const message = await failureOf(host);
  expect(message).toContain('bad');
  expect(message).not.toMatch(UNCLEAN);
  expect(message.length).toBeLessThan(4200);
});

it('an error of the protocol is clean', async () => {
  const host = await hostOf((response, id) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -1, message: NASTY } }));
  });
  expect(await failureOf(host)).not.toMatch(UNCLEAN);
});
