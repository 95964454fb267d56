import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, chat, contentOf } from '../asking.ts';
import { serveScripted, until } from '../scripted.ts';

/** A connection that keeps what it is sent. */
function dial(port: number, allowHalfOpen = false) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  const seen = { text: '', closed: false };
  socket.setEncoding('latin1');
  socket.on('data', text => {
    seen.text += text;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    seen.closed = true;
  });
  onTestFinished(() => void socket.destroy());
  return { socket, seen };
}

/** Sends a character each 20 ms for as long as the other side listens. */
function trickle(socket: Socket, character: string): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(character)), 20);
  onTestFinished(() => clearInterval(timer));
}

describe('requests that never end', () => {
  it.each([
    ['a head', 'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ', 'x'],
    ['headers', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n', 'a: b\r\n'],
    [
      'a body',
      'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n',
      ' ',
    ],
    [
      'chunks',
      'POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
    ],
  ])('%s in pieces: 408 and the end after their time, while others are served', async (_, start, piece) => {
    const { url, port } = await serveScripted(() => 'ok', { limits: { headMs: 300, receiveMs: 600 } });
    const slow = Array.from({ length: 50 }, () => {
      const { socket, seen } = dial(port);
      socket.write(start);
      trickle(socket, piece);
      return seen;
    });
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
    await until(() => slow.every(({ closed }) => closed));
    // Some are closed before they have read it.
    expect(slow.filter(({ text }) => text.startsWith('HTTP/1.1 408 ')).length).toBeGreaterThan(25);
  });
});

it.each([
  ['half a head', 'GET / HTTP/1.1\r\nHost: lo', '408'],
  ['half a body', 'POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nab', '408'],
  ['nothing', '', '408'],
  ['what is not HTTP', 'nonsense\r\n\r\n', '400'],
])(
  'a connection that sends %s is closed, though the other side never closes its own half',
  async (_, start, status) => {
    const { port, app } = await serveScripted(() => 'ok', { limits: { headMs: 200, receiveMs: 400 } });
    const open = Array.from({ length: 5 }, () => {
      const { socket, seen } = dial(port, true);
      socket.write(start);
      return seen;
    });
    await until(() => open.every(({ text }) => text.startsWith(`HTTP/1.1 ${status} `)));
    const connections = { count: open.length };
    await until(() => {
      app.server.getConnections((_error, count) => {
        connections.count = count;
      });
      return connections.count === 0;
    });
  },
);

it('more connections than there may be are closed at once, and served when others go', async () => {
  const { port } = await serveScripted(() => 'ok', { limits: { maxConnections: 20 } });
  const idle = Array.from({ length: 20 }, () => dial(port));
  await until(() => idle.every(({ socket }) => !socket.connecting));
  const late = dial(port);
  await until(() => late.seen.closed);
  for (const { socket } of idle.slice(0, 5)) socket.destroy();
  await until(() => {
    const { socket, seen } = dial(port);
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const answered = late.seen.text !== '';
    socket.on('data', () => {
      late.seen.text ||= seen.text;
    });
    return answered;
  });
  expect(late.seen.text).toContain('200 OK');
});

it('a whole response that nobody reads is not kept for ever', async () => {
  const { port, context, app, records } = await serveScripted(() => 'ok', {
    limits: { receiveMs: 800 },
    template: `{# ${'x'.repeat(8 * 1024 * 1024)} #}{{ messages[0].content }}`,
  });
  const { socket } = dial(port);
  socket.pause();
  const body = JSON.stringify({ model: context.model.id });
  const request = `POST /api/show HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  // The system itself takes some megabytes of what is not read.
  socket.write(request.repeat(4));
  await until(() => records.some(({ aborted }) => aborted));
  await new Promise(resolve => app.server.getConnections((_, count) => resolve(expect(count).toBe(0))));
});
