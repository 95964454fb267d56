import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serveScripted } from '../scripted.ts';

/** The status and JSON body that raw bytes get from the server. */
async function send(port: number, bytes: string | Buffer): Promise<{ status: number; body: unknown }> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', chunk => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
  const text = Buffer.concat(chunks).toString();
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: JSON.parse(body) };
}

const post = (path: string, head: string, body: string | Buffer = '{}') =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\n${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
    ),
    Buffer.from(body as string),
  ]);
const HOST = 'Host: 127.0.0.1\r\n';

/** What a client of either API can read. */
const shapes = {
  '/v1/chat/completions': {
    error: {
      message: expect.any(String),
      type: 'invalid_request_error',
      param: null,
      code: expect.any(String),
    },
  },
  '/api/chat': { error: expect.any(String) },
};

describe.each(Object.entries(shapes))('%s: refused in its own shape', (path, shape) => {
  it.each([
    ['two Host headers', 400, post(path, `${HOST}Host: evil.example\r\n`)],
    ['no Host header', 403, post(path, '')],
    ['a body that is not UTF-8', 400, post(path, HOST, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
    ['a head that is too large', 431, post(path, `${HOST}X-Large: ${'x'.repeat(40_000)}\r\n`)],
    ['a header without a name', 400, post(path, `${HOST}: nameless\r\n`)],
    ['a body with two lengths', 400, post(path, `${HOST}Content-Length: 7\r\n`)],
    ['a body that is too large', 413, post(path, HOST, `"${'x'.repeat(2000)}"`)],
  ])('%s', async (_what, status, bytes) => {
    const { port } = await serveScripted(() => 'ok', { limits: { maxBody: 1000 } });
    expect(await send(port, bytes)).toEqual({ status, body: shape });
  });
});

it('a path that cannot be decoded, and bytes that are not HTTP', async () => {
  const { port } = await serveScripted(() => 'ok');
  const shape = shapes['/v1/chat/completions'];
  expect(await send(port, post('/v1/%zz', HOST))).toEqual({ status: 400, body: shape });
  expect(await send(port, '\u0016\u0003\u0001 hello\r\n\r\n')).toEqual({ status: 400, body: shape });
});

it.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: null }] }],
  ['/v1/chat/completions', { messages: [{ role: 'system' }, { role: 'user', content: 'x' }] }],
  ['/v1/responses', { input: [{ role: 'user', content: null }] }],
  ['/api/chat', { model: 'scripted', messages: [{ role: 'user', content: null }] }],
])('%s refuses a message without content: %j', async (path, body) => {
  const { url, engine } = await serveScripted(() => 'ok');
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect([response.status, JSON.stringify(await response.json())]).toEqual([
    400,
    expect.stringContaining('content must be a text'),
  ]);
  expect(engine.requests).toEqual([]);
});
