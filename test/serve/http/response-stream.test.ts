import { createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ResponseStream } from '../../../src/serve/http/response-stream.ts';
import { DEFAULT_LIMITS } from '../../../src/serve/http/serve-context.ts';
import { until } from '../scripted.ts';

/** Where a stream of `a` and this piece is sent. */
async function sending(piece: string, limits = DEFAULT_LIMITS): Promise<string> {
  const server = createServer((_, response) => {
    const stream = new ResponseStream(response, 'text/plain', limits);
    stream.write('a');
    stream.write(piece);
    stream.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a piece that is larger than what may be left unread reaches a client that reads', async () => {
  // Such as the end of a response with the log-probabilities of all its tokens.
  const piece = 'x'.repeat(3 * DEFAULT_LIMITS.maxUnread);
  const text = await (await fetch(await sending(piece))).text();
  expect(text.length).toBe(1 + piece.length);
});

it('the end of a stream over a slow line may take longer than one that nobody reads', async () => {
  const piece = 'x'.repeat(32 * 1024 * 1024);
  const url = await sending(piece, { ...DEFAULT_LIMITS, stallMs: 1500 });
  const seen = { bytes: 0, whole: undefined as boolean | undefined };
  const started = performance.now();
  get(url, response => {
    let since = 0;
    response.on('data', chunk => {
      seen.bytes += chunk.length;
      since += chunk.length;
      if (since < 2 * 1024 * 1024) return;
      since = 0;
      response.pause();
      setTimeout(() => response.resume(), 250);
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      seen.whole = response.complete;
    });
  });
  await until(() => seen.whole !== undefined);
  expect(seen).toEqual({ bytes: 1 + piece.length, whole: true });
  expect(performance.now() - started).toBeGreaterThan(1500);
});

it('a connection goes on when its response has been read', async () => {
  const url = new URL(await sending('b', { ...DEFAULT_LIMITS, stallMs: 50 }));
  const socket = connect({ port: Number(url.port), host: url.hostname });
  onTestFinished(() => void socket.destroy());
  const seen = { text: '' };
  socket.setEncoding('latin1').on('data', text => {
    seen.text += text;
  });
  for (const count of [1, 2]) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => seen.text.split('200 OK').length === count + 1);
    await new Promise(resolve => setTimeout(resolve, 300));
  }
  expect(socket.destroyed).toBe(false);
});
