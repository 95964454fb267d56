import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LlmHostError } from '../../src/errors.ts';
import { FakeHost } from '../agent/fakes.ts';
import { seededRandom } from '../parse/seeded-random.ts';
import { callText, question, serveScripted, until } from './scripted.ts';

const chat = (url: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    ...{ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...init },
  });
const ask = (content: string, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more });
const contentOf = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

async function* endless() {
  for (;;) {
    await sleep(1);
    yield 'x';
  }
}

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
      prompt => (question(prompt) === 'long' ? 'y'.repeat(60_000) : 'ok'),
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

describe('bodies', () => {
  it('of 20 MB are refused, told in advance or not, and others are served', async () => {
    const { url } = await serveScripted(() => 'ok');
    const big = 'x'.repeat(20 * 1024 * 1024);
    const statusOf = (body: string | ReadableStream, init: object = {}) =>
      fetch(`${url}/api/chat`, { method: 'POST', body, ...init }).then(
        response => response.status,
        // The connection may be closed before all of it is sent.
        () => 413,
      );
    expect(await statusOf(big)).toBe(413);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        // Bounded, whatever the other side does.
        if (sent === 20) controller.close();
        else controller.enqueue(new TextEncoder().encode('x'.repeat(1024 * 1024)));
        sent += 1;
      },
    });
    expect(await statusOf(stream, { duplex: 'half' })).toBe(413);
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
  });

  it('200 forms of bad JSON: each its own 4xx, none a crash', async () => {
    const { url, engine } = await serveScripted(() => 'ok', { limits: { requestMs: 5000 } });
    const random = seededRandom(10);
    const good = JSON.stringify({
      ...ask('hi', {
        stream: false,
        temperature: 0.5,
        tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      }),
      ...{ stop: ['x'], response_format: { type: 'text' }, tool_choice: 'auto', model: 'scripted' },
    });
    const junk = [
      '"',
      '{',
      '[',
      ']',
      '}',
      ':',
      ',',
      '\\',
      '\u0000',
      'null',
      '1e999',
      '-',
      '𝒳',
      '{"a":',
      '[[[[',
      'true',
      '\ud800',
    ];
    const mutate = () => {
      let text = good;
      for (let times = 0; times <= random() * 4; times += 1) {
        const at = Math.floor(random() * text.length);
        const end = at + Math.floor(random() * 6);
        text = text.slice(0, at) + (junk[Math.floor(random() * junk.length)] ?? '') + text.slice(end);
      }
      return text;
    };
    const named = [
      ...[
        '',
        ' ',
        'null',
        '[]',
        '1',
        '"x"',
        '{}',
        '{"messages":[]}',
        '{"messages":{}}',
        '{"messages":[null]}',
      ],
      ...[
        '{"messages":[{"role":"user"}],"n":2}',
        '{"messages":[{"role":"x","content":"y"}]}',
        '['.repeat(100_000),
      ],
      ...['{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}'],
      ...['{"messages":[{"role":"tool","content":"x","tool_call_id":"1"}]}', '{"__proto__":{"messages":[]}}'],
      ...[
        '{"messages":[{"role":"user","content":"x"}],"temperature":"hot"}',
        `{"messages":${'[{"a":'.repeat(500)}1${'}]'.repeat(500)}}`,
      ],
      ...[
        '{"messages":[{"role":"user","content":"x"}],"tool_choice":"required"}',
        '{"messages":[{"role":"user","content":"x"}],"max_tokens":0}',
      ],
    ];
    const bodies = [...named, ...Array.from({ length: 200 - named.length }, mutate)];
    const statuses = await Promise.all(
      bodies.map(async (body, index) => {
        // Twenty at a time: the queue is not what is tested here.
        await sleep(Math.floor(index / 20) * 40);
        const path = index % 3 === 2 ? '/api/chat' : '/v1/chat/completions';
        const response = await fetch(url + path, { method: 'POST', body });
        const text = await response.text();
        expect(text).not.toMatch(/node_modules|\bat .*\.[jt]s:\d+/);
        if (response.status >= 400) expect(JSON.parse(text)).toHaveProperty('error');
        return response.status;
      }),
    );
    expect(bodies).toHaveLength(200);
    expect(statuses.filter(status => status >= 500)).toEqual([]);
    expect(statuses.slice(0, named.length).filter(status => status < 400 || status > 499)).toEqual([]);
    expect(statuses.filter(status => status >= 400).length).toBeGreaterThan(150);
    expect(engine.running).toBe(0);
  });
});

describe('tools', () => {
  it('one that hangs is timed out, the reply goes on, and others are served meanwhile', async () => {
    let hanging = false;
    const hang = (_args: unknown, { timeoutMs }: { timeoutMs: number }) => {
      hanging = true;
      return sleep(timeoutMs).then(() => {
        hanging = false;
        throw new LlmHostError('TOOL_TIMEOUT', `Tool 'hang' timed out after ${timeoutMs / 1000}s`);
      });
    };
    const { url } = await serveScripted(
      prompt => {
        if (question(prompt) === 'other') return 'served';
        return prompt.includes('timed out') ? 'It hangs.' : callText('hang', {});
      },
      { turns: { tools: new FakeHost({ hang }), toolTimeoutMs: 300 } },
    );
    const slow = chat(url, ask('call it'));
    await until(() => hanging);
    expect(await contentOf(await chat(url, ask('other')))).toBe('served');
    expect(hanging).toBe(true);
    expect(await contentOf(await slow)).toBe('It hangs.');
  });

  it('a client that leaves during a call ends the call', async () => {
    let ended = false;
    const wait = (_args: unknown, { signal }: { signal?: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => {
          ended = true;
          reject(new LlmHostError('CANCELLED', 'cancelled'));
        });
      });
    const tools = new FakeHost({ wait });
    const { url, context } = await serveScripted(() => callText('wait', {}), { turns: { tools } });
    const stop = new AbortController();
    const asked = chat(url, ask('?'), { signal: stop.signal }).catch(() => undefined);
    await until(() => tools.calls.length === 1);
    stop.abort();
    await asked;
    await until(() => ended && context.queue.admitted === 0);
  });

  it('events of tools are shown to those who ask for them', async () => {
    const tools = new FakeHost({ look: () => Promise.resolve({ text: 'blue', isError: false }) });
    const { url } = await serveScripted(
      prompt => (prompt.includes('blue') ? 'Blue.' : callText('look', {})),
      {
        turns: { tools },
      },
    );
    const headers = { 'x-llm-host-events': '1' };
    const whole = await (await chat(url, ask('?'), { headers })).json();
    const types = ['tool_call', 'tool_result'].map(type => expect.objectContaining({ type, name: 'look' }));
    expect(whole).toMatchObject({ llm_host_events: types });
    const streamed = await (await chat(url, ask('??', { stream: true }), { headers })).text();
    expect(streamed.match(/llm_host_event/g)).toHaveLength(2);
    expect(await (await chat(url, ask('???', { stream: true }))).text()).not.toContain('llm_host_event');
  });
});

describe('time and failure', () => {
  it('a request that takes too long ends with its own error, streamed or not', async () => {
    const { url } = await serveScripted(endless, { limits: { requestMs: 150 } });
    const whole = await chat(url, ask('?'));
    expect(whole.status).toBe(504);
    const streamed = await (await chat(url, ask('?', { stream: true }))).text();
    expect(streamed).toContain('"code":"timeout"');
  });

  it('a stream is kept alive while its request waits', async () => {
    const { url, engine } = await serveScripted(endless, { limits: { keepAliveMs: 20 } });
    const stop = new AbortController();
    const first = chat(url, ask('1'), { signal: stop.signal }).catch(() => undefined);
    await until(() => engine.running === 1);
    const second = await chat(url, ask('2', { stream: true }), { signal: stop.signal });
    const { value } = (await second.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(/^: waiting\n\n/);
    stop.abort();
    await first;
  });

  it('a failure of the engine is 500 without its stack, which the log has; before and in mid-stream', async () => {
    const { url, records } = await serveScripted(prompt => {
      if (question(prompt) === 'at once') throw new Error('secret detail');
      return (async function* () {
        yield 'abc';
        throw new Error('secret detail');
      })();
    });
    const response = await chat(url, ask('at once'));
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('x-request-id');
    expect(text).not.toContain('secret');
    const id = response.headers.get('x-request-id');
    await until(() => records.length === 1);
    expect(records[0]).toMatchObject({ id, status: 500, problem: expect.stringContaining('secret detail') });
    const streamed = await (await chat(url, ask('later', { stream: true }))).text();
    expect(streamed).toContain('"content":"a"');
    expect(streamed).toContain('"type":"server_error"');
    expect(streamed).not.toContain('secret');
    await until(() => records.length === 2);
    expect(records[1]).toMatchObject({ problem: expect.stringContaining('secret detail') });
  });

  it('counts everything for Prometheus', async () => {
    const { url } = await serveScripted(() => 'ok');
    await (await chat(url, ask('?'))).text();
    await (await fetch(`${url}/nowhere`)).text();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('llm_host_http_requests_total{route="/v1/chat/completions",status="200"} 1');
    expect(text).toContain('llm_host_http_requests_total{route="unknown",status="404"} 1');
    expect(text).toMatch(/llm_host_generated_tokens_total 2\n/);
    expect(text).toMatch(/llm_host_time_to_first_token_seconds_count 1\n/);
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.e+-]+)$/);
  });
});
