import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, chat, contentOf, endless } from '../asking.ts';
import { question, serveScripted, until } from '../scripted.ts';

/** A connection on which requests are written before responses have come. */
function pipe(port: number) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  let heard = '';
  socket.on('data', data => {
    heard += data;
  });
  return { socket, heard: () => heard };
}

const post = (content: string, more: object = {}) => {
  const body = JSON.stringify(ask(content, more));
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

describe('several requests at once on one connection', () => {
  it('are answered in their order, streamed and whole', async () => {
    const { port } = await serveScripted(prompt => `said ${question(prompt)}`);
    const { socket, heard } = pipe(port);
    socket.write(
      post('one', { stream: true }) + post('two') + post('three', { stream: true }) + post('four'),
    );
    await until(() => heard().includes('said four'));
    const places = ['"content":"s"', 'said two', 'chatcmpl', 'said four'].map(text => heard().indexOf(text));
    expect(places[0]).toBeLessThan(places[1] as number);
    expect(places[1]).toBeLessThan(places[3] as number);
    expect(heard().match(/HTTP\/1\.1 200/g)).toHaveLength(4);
  });

  it('all end when the client goes, also those whose turn to be answered has not come', async () => {
    const { url, port, engine, context, records } = await serveScripted(prompt =>
      question(prompt) === 'short' ? 'ok' : endless(),
    );
    const { socket } = pipe(port);
    socket.write(post('1', { stream: true }) + post('2', { stream: true }) + post('3'));
    await until(() => engine.running === 1 && context.queue.admitted === 3);
    socket.destroy();
    await until(() => context.queue.admitted === 0);
    expect(engine.running).toBe(0);
    expect(context.metrics.active).toBe(0);
    expect(records.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(await contentOf(await chat(url, ask('short')))).toBe('ok');
  });

  it('10,000 small ones: answered, or the connection closed, and others are served meanwhile', async () => {
    const { url, port } = await serveScripted(() => 'ok');
    const { socket, heard } = pipe(port);
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(10_000));
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
    await expect
      .poll(() => closed || (heard().match(/HTTP\/1\.1 200/g) ?? []).length === 10_000, { timeout: 30_000 })
      .toBe(true);
  });
});
