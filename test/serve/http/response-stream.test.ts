import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ResponseStream, type StreamLimits } from '../../../src/serve/http/response-stream.ts';
import { DEFAULT_LIMITS } from '../../../src/serve/http/serve-context.ts';
import { until } from '../scripted.ts';

/** Where a stream of `a` and this piece is sent. */
const sending = (piece: string, limits = DEFAULT_LIMITS): Promise<string> =>
  streaming(limits, stream => {
    stream.write('a');
    stream.write(piece);
    stream.end();
  });

/** Where a stream is sent that `send` writes. */
async function streaming(
  limits: StreamLimits,
  send: (stream: ResponseStream, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((_, response) => {
    void send(new ResponseStream(response, 'text/plain', limits), response);
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
  const started = performance.now();
  expect(await readSlowly(url)).toEqual({ bytes: 1 + piece.length, whole: true });
  expect(performance.now() - started).toBeGreaterThan(1500);
});

it('a stream that is read slowly, and never all of it while it grows, is not cut off', async () => {
  const limits = { ...DEFAULT_LIMITS, maxUnread: 64 * 1024 * 1024, stallMs: 1500 };
  const url = await streaming(limits, async stream => {
    stream.write('x'.repeat(32 * 1024 * 1024));
    for (let written = 0; written < 60; written++) {
      await sleep(50);
      stream.write('y');
    }
    stream.end();
  });
  expect(await readSlowly(url)).toEqual({ bytes: 32 * 1024 * 1024 + 60, whole: true });
});

it('a stream that is silent for long is not cut off, and one that nobody reads after that is', async () => {
  const limits = { ...DEFAULT_LIMITS, maxUnread: 64 * 1024 * 1024, stallMs: 200 };
  const seen = { text: '', begun: false, gone: false };
  const url = new URL(
    await streaming(limits, async stream => {
      stream.write('a');
      await sleep(1000);
      stream.write('b');
      await until(() => seen.text.includes('b'));
      stream.write('x'.repeat(32 * 1024 * 1024));
    }),
  );
  const socket = connect({ port: Number(url.port), host: url.hostname });
  onTestFinished(() => void socket.destroy());
  socket.setEncoding('latin1').on('data', text => {
    seen.text += text;
    if (String(text).endsWith('b\r\n')) socket.pause();
  });
  socket
    .on('error', () => undefined)
    .on('close', () => {
      seen.gone = true;
    });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => seen.text.includes('b\r'));
  await sleep(1500);
  // What the system had taken before, and then its end.
  socket.resume();
  await until(() => seen.gone);
  expect(seen.text.length).toBeLessThan(32 * 1024 * 1024);
});

it('a stream that grows is cut off for a client that takes nothing of it, though it goes on sending', async () => {
  const limits = { ...DEFAULT_LIMITS, maxUnread: 64 * 1024 * 1024, stallMs: 500 };
  const seen = { cut: false };
  const url = new URL(
    await streaming(limits, async (stream, response) => {
      for (; response.writableLength === 0; await sleep(5)) stream.write('x'.repeat(64 * 1024));
      for (; !response.destroyed; await sleep(50)) stream.write('y');
      seen.cut = true;
    }),
  );
  const socket = connect({ port: Number(url.port), host: url.hostname });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  // Between two requests these may be sent without end.
  const timer = setInterval(() => socket.write('\r\n'), 50);
  onTestFinished(() => clearInterval(timer));
  await until(() => seen.cut);
});

it.each([
  ['takes a little of it now and then', 1, false],
  ['takes nothing', 0, true],
])('a stream that grows, for a client that goes on sending and %s', (_, taken, cut) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = { bytesRead: 0 };
  const raw = { writableLength: 0, destroyed: false, headersSent: true, socket };
  const response = Object.assign(raw, {
    setTimeout: () => undefined,
    write: (text: string) => {
      raw.writableLength += text.length;
    },
    destroy: () => {
      raw.destroyed = true;
    },
  });
  const stream = new ResponseStream(response as unknown as ServerResponse, 'text/plain', DEFAULT_LIMITS);
  for (let step = 0; step < 100; step++) {
    stream.write('x'.repeat(100));
    vi.advanceTimersByTime(DEFAULT_LIMITS.stallMs / 10);
    socket.bytesRead += 1;
    if (step % 9 === 0) raw.writableLength -= taken;
  }
  expect(raw.destroyed).toBe(cut);
});

/** Reads 2 MB each quarter of a second. */
async function readSlowly(url: string) {
  const seen = { bytes: 0, whole: undefined as boolean | undefined };
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
  return seen;
}

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
