import { describe, expect, it } from 'vitest';
import { RateLimit } from '../../../src/serve/http/access/rate-limit.ts';
import { ask } from '../asking.ts';
import { type Script, serveScripted, until } from '../scripted.ts';

const SECRET = 'the secret of the prompt';

async function serve(
  keys: readonly { name: string; key: string; requestsPerMinute?: number; tokensPerMinute?: number }[],
  script: Script = () => 'ok',
) {
  const access = { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], keys };
  const server = await serveScripted(script, { access });
  const send = (key: string, path = '/v1/chat/completions', body: object = ask(SECRET)) =>
    fetch(server.url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}` },
    });
  return { ...server, send };
}

/** A body and what a refusal for too many requests looks like, by path. */
const APIS: readonly (readonly [string, object, object])[] = [
  ['/v1/chat/completions', ask('x'), { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } }],
  ['/v1/completions', { prompt: 'x' }, { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } }],
  ['/v1/responses', { input: 'x' }, { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } }],
  ['/v1/messages', { ...ask('x'), max_tokens: 5 }, { type: 'error', error: { type: 'rate_limit_error' } }],
  [
    '/api/chat',
    { ...ask('x'), model: 'scripted', stream: false },
    { error: expect.stringContaining('a minute') },
  ],
];

describe('keys with names', () => {
  it('each is let in, others are not, and the log has the name but neither key nor content', async () => {
    const { send, url, records } = await serve([
      { name: 'alice', key: 'key-a' },
      { name: 'bob', key: 'key-b' },
    ]);
    expect((await send('key-a')).status).toBe(200);
    expect((await send('key-b')).status).toBe(200);
    for (const wrong of ['key-', 'key-a2', 'alice', '']) expect((await send(wrong)).status).toBe(401);
    const byHeader = await fetch(`${url}/v1/models`, { headers: { 'x-api-key': 'key-b' } });
    expect(byHeader.status).toBe(200);
    await until(() => records.length === 7);
    expect(records.map(({ key }) => key)).toEqual(['alice', 'bob', ...Array(4).fill(undefined), 'bob']);
    expect(JSON.stringify(records)).not.toMatch(/key-a|key-b|secret/);
  });

  it.each(APIS)(
    '%s: too many requests are 429 in its own shape, with the time to wait',
    async (path, body, shape) => {
      const { send, engine } = await serve([
        { name: 'alice', key: 'a', requestsPerMinute: 2 },
        { name: 'bob', key: 'b' },
      ]);
      for (let index = 0; index < 2; index += 1) expect((await send('a', path, body)).status).toBe(200);
      const refused = await send('a', path, body);
      expect(refused.status).toBe(429);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(await refused.json()).toMatchObject(shape);
      expect((await send('b', path, body)).status).toBe(200);
      expect(engine.requests).toHaveLength(3);
    },
  );

  it('tokens count once they are known: of replies, of failures, and of what is given up', async () => {
    const limited = [{ name: 'alice', key: 'a', tokensPerMinute: 100 }];
    const { send } = await serve(limited);
    expect((await send('a')).status).toBe(200);
    const refused = await send('a');
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining("'alice' has 100 tokens"),
    ]);
    const never = await serve(limited, () => 'no JSON');
    const format = { response_format: { type: 'json_object' } };
    expect((await never.send('a', '/v1/chat/completions', ask('x', format))).status).toBe(500);
    expect((await never.send('a')).status).toBe(429);
  });

  it('looking does not count, and is never refused', async () => {
    const { url, send } = await serve([{ name: 'alice', key: 'a', requestsPerMinute: 1 }]);
    const headers = { authorization: 'Bearer a' };
    for (let index = 0; index < 5; index += 1)
      expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
    expect((await send('a')).status).toBe(200);
    expect((await send('a')).status).toBe(429);
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
  });

  it('a client cannot take the turns of others by calling itself by many names', async () => {
    const order: string[] = [];
    let open = () => {};
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const { send, context } = await serve(
      [
        { name: 'alice', key: 'a' },
        { name: 'bob', key: 'b' },
      ],
      async function* (prompt) {
        await gate;
        order.push(/greedy|modest/.exec(prompt)?.[0] ?? '');
        yield 'ok';
      },
    );
    const greedy = Array.from({ length: 6 }, (_, index) =>
      send('a', '/v1/chat/completions', ask('greedy', { user: `u${index}` })),
    );
    await until(() => context.queue.waiting === 5);
    const modest = send('b', '/v1/chat/completions', ask('modest'));
    await until(() => context.queue.waiting === 6);
    open();
    await Promise.all([...greedy, modest]);
    expect(order.indexOf('modest')).toBeLessThanOrEqual(2);
  });
});

describe('a minute', () => {
  it('slides: what is 60 seconds old no longer counts', () => {
    let now = 500;
    const limit = new RateLimit({ requestsPerMinute: 2, tokensPerMinute: 50 }, () => now);
    expect(limit.request()).toBeUndefined();
    now = 30_000;
    expect(limit.request()).toBeUndefined();
    expect(limit.request()).toEqual({ of: 'requests', limit: 2, retryAfterSeconds: 30 });
    now = 59_999;
    expect(limit.request()).toMatchObject({ retryAfterSeconds: 1 });
    now = 60_000;
    expect(limit.request()).toBeUndefined();
    expect(limit.request()).toMatchObject({ retryAfterSeconds: 30 });
    now = 100_000;
    limit.spent(49);
    expect(limit.request()).toBeUndefined();
    limit.spent(1);
    expect(limit.request()).toEqual({ of: 'tokens', limit: 50, retryAfterSeconds: 60 });
    now = 160_000;
    expect(limit.request()).toBeUndefined();
  });

  it('a refused request does not count, and a million of them take no memory', () => {
    let now = 0;
    const limit = new RateLimit({ requestsPerMinute: 1 }, () => now);
    expect(limit.request()).toBeUndefined();
    for (now = 1; now < 50_000; now += 1) limit.request();
    now = 60_000;
    expect(limit.request()).toBeUndefined();
  });

  it('without limits there are none', () => {
    const limit = new RateLimit({});
    limit.spent(1e9);
    for (let index = 0; index < 1000; index += 1) expect(limit.request()).toBeUndefined();
  });
});
