import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { ask, chat, contentOf, endless } from '../asking.ts';
import { question, serveScripted, until } from '../scripted.ts';

describe('clients', () => {
  it('gone in mid-stream: the generation stops within one step, and the next request is served', async () => {
    const { url, engine } = await serveScripted(prompt => (question(prompt) === 'on' ? endless() : 'ok'));
    const stop = new AbortController();
    const response = await chat(url, ask('on', { stream: true }), { signal: stop.signal });
    await response.body?.getReader().read();
    let atAbort = -1;
    engine.requests[0]?.signal?.addEventListener('abort', () => {
      atAbort = engine.steps;
    });
    stop.abort();
    await until(() => engine.running === 0);
    expect(atAbort).toBeGreaterThanOrEqual(0);
    expect(engine.steps - atAbort).toBeLessThanOrEqual(1);
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
  });

  it('gone while waiting: its generation never starts', async () => {
    const { url, engine, context } = await serveScripted(endless);
    const [one, other] = [new AbortController(), new AbortController()];
    const first = chat(url, ask('1'), { signal: one.signal }).catch(() => undefined);
    await until(() => engine.running === 1);
    const second = chat(url, ask('2'), { signal: other.signal }).catch(() => undefined);
    await until(() => context.queue.waiting === 1);
    other.abort();
    await second;
    await until(() => context.queue.waiting === 0);
    one.abort();
    await first;
    await until(() => context.queue.admitted === 0);
    expect(engine.requests).toHaveLength(1);
  });

  it('that wait get one generation at a time; too many get 429 with Retry-After', async () => {
    let open = () => {};
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const { url, engine, records } = await serveScripted(
      async function* () {
        await gate;
        yield 'done';
      },
      { places: 4 },
    );
    const asked = Promise.all(
      Array.from({ length: 12 }, (_, index) => chat(url, ask('?', { user: `u${index}` }))),
    );
    await until(() => records.length === 8);
    open();
    const all = await asked;
    const statuses = all.map(response => response.status);
    expect(statuses.filter(status => status === 200)).toHaveLength(4);
    expect(statuses.filter(status => status === 429)).toHaveLength(8);
    const refused = all.find(response => response.status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused?.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'queue_full' } });
    expect(engine.mostRunning).toBe(1);
  });

  it('1,000 half-open connections: others are served, and each is closed in time', async () => {
    const { url, port } = await serveScripted(() => 'ok', { limits: { headMs: 1000 } });
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    let closed = 0;
    await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const socket = connect(port, '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          closed += 1;
        });
        socket.resume();
        await new Promise(resolve => socket.once('connect', resolve));
        // Some say nothing at all, some a part of a head.
        if (index % 2 === 0) socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ');
      }),
    );
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
    await expect.poll(() => closed, { timeout: 20_000 }).toBe(1000);
  });

  it('that read nothing do not hold the engine, and are cut off', async () => {
    const { url, port, engine, records } = await serveScripted(
      prompt => (question(prompt) === 'long' ? manyWords(6000) : 'ok'),
      { limits: { maxUnread: 100_000, stallMs: 500 } },
    );
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.pause();
    const body = JSON.stringify(ask('long', { stream: true }));
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => engine.requests.length === 1);
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
    await until(() => records.length === 2);
    expect(records[0]).toMatchObject({ aborted: true });
  });
});
