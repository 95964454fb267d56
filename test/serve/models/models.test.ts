import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { keepAliveMs } from '../../../src/serve/ollama/routes.ts';
import { endless } from '../asking.ts';
import { question, type ServeOptions, scriptedModel, serveScripted, until } from '../scripted.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];

/** Five models, each of which says its name, beside one that is always loaded. */
async function serve(memory = 2, more: ServeOptions = {}) {
  const seen: string[] = [];
  let inMemory = 0;
  let most = 0;
  const ids = ['a', 'b', 'c', 'd', 'e'].map(name => `org/${name}`);
  const others = {
    list: () => ids.map(id => ({ id, bytes: 5, modifiedMs: 1_700_000_000_000 })),
    open: async (id: string) => {
      if (inMemory >= memory) throw new LlmHostError('OUT_OF_MEMORY', 'needs 5 GB');
      inMemory += 1;
      most = Math.max(most, inMemory);
      seen.push(id);
      const { loaded } = scriptedModel(id, prompt => (question(prompt) === 'on' ? endless() : `I am ${id}.`));
      return {
        ...loaded,
        close: async () => {
          inMemory -= 1;
        },
      };
    },
  };
  const server = await serveScripted(() => 'I am the first.', { others, places: 300, ...more });
  const post = async (path: string, body: object) => {
    const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  return { ...server, seen, post, most: () => most };
}

describe('several models by name', () => {
  it('over every API; without a name it is the first', async () => {
    const { post, seen } = await serve();
    const bodies: readonly (readonly [string, object])[] = [
      ['/v1/chat/completions', { messages }],
      ['/v1/completions', { prompt: 'x' }],
      ['/v1/responses', { input: 'x' }],
      ['/v1/messages', { messages, max_tokens: 50 }],
      ['/api/chat', { messages, stream: false }],
      ['/api/generate', { prompt: 'x', stream: false }],
      ['/api/generate', { prompt: 'x', stream: false, raw: true }],
    ];
    for (const [path, body] of bodies) {
      const { status, text } = await post(path, { ...body, model: 'org/a' });
      expect([path, status, text]).toEqual([path, 200, expect.stringContaining('I am org/a.')]);
      expect(text).toContain('"model":"org/a"');
      if (path.startsWith('/api/')) continue;
      expect((await post(path, body)).text).toContain('I am the first.');
    }
    expect(seen).toEqual(['org/a']);
    expect((await post('/v1/tokenize', { model: 'b', content: 'x' })).text).toContain('"count":1');
    const counted = await post('/v1/messages/count_tokens', { model: 'org/b', messages });
    expect(counted.text).toContain('input_tokens');
    expect(seen).toEqual(['org/a', 'org/b']);
  });

  it('are listed, shown and unloaded by the official clients', async () => {
    const { url, seen } = await serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
    const ollama = new Ollama({ host: url });
    const all = ['org/scripted', 'org/a', 'org/b', 'org/c', 'org/d', 'org/e'];
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(all);
    expect((await ollama.list()).models.map(({ model }) => model)).toEqual(all);
    expect(await client.models.retrieve('c')).toMatchObject({ id: 'org/c', created: 1_700_000_000 });
    expect((await ollama.show({ model: 'org/c' })).capabilities).toContain('completion');
    // Looking loads nothing.
    expect(seen).toEqual([]);
    const running = async () => (await ollama.ps()).models.map(({ model }) => model);
    await ollama.chat({ model: 'a', messages, keep_alive: '10m' });
    expect(await running()).toEqual(['org/scripted', 'org/a']);
    expect((await ollama.list()).models[1]).toMatchObject({
      model: 'org/a',
      details: { family: 'scripted' },
    });
    const [, { expires_at: expires } = { expires_at: new Date(0) }] = (await ollama.ps()).models;
    const minutes = (new Date(expires).getTime() - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(10);
    // As Ollama's own program unloads one.
    const ended = await ollama.generate({ model: 'a', prompt: '', keep_alive: 0 });
    expect(ended.done_reason).toBe('unload');
    await expect.poll(running).toEqual(['org/scripted']);
    await expect(ollama.chat({ model: 'qwen2:7b', messages })).rejects.toMatchObject({ status_code: 404 });
    const wrong = client.chat.completions.create({ model: 'gpt-4o', messages });
    await expect(wrong).rejects.toThrow(/'org\/scripted', 'org\/a'.* and 1 more/);
  });

  it('are not loaded to be unloaded', async () => {
    const { url, seen } = await serve();
    const ollama = new Ollama({ host: url });
    const none = { done: true, done_reason: 'unload' };
    expect(await ollama.generate({ model: 'a', prompt: '', keep_alive: 0 })).toMatchObject(none);
    expect(await ollama.chat({ model: 'a', messages: [], keep_alive: '0s' })).toMatchObject({
      ...none,
      message: { role: 'assistant', content: '' },
    });
    expect(seen).toEqual([]);
    // The first one stays.
    const first = await ollama.generate({ model: 'scripted', prompt: '', keep_alive: 0 });
    expect(first.done_reason).toBe('load');
  });

  it('five with room for two: 200 requests at once, each gets the reply of its model', async () => {
    const { post, most, context } = await serve(2);
    const names = Array.from({ length: 200 }, (_, index) => 'abcde'[(index * 7) % 5] as string);
    const replies: { status: number; text: string }[] = [];
    for (let from = 0; from < names.length; from += 40) {
      const some = names.slice(from, from + 40);
      replies.push(
        ...(await Promise.all(some.map(name => post('/v1/chat/completions', { model: name, messages })))),
      );
    }
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    replies.forEach(({ text }, index) => {
      expect(text).toContain(`I am org/${names[index]}.`);
    });
    expect(most()).toBeLessThanOrEqual(2);
    expect(context.queue.admitted).toBe(0);
  });

  it('a client that leaves frees its model', async () => {
    const { url, post, context } = await serve(1);
    const stop = new AbortController();
    const body = JSON.stringify({ model: 'a', stream: true, messages: [{ role: 'user', content: 'on' }] });
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal: stop.signal });
    await response.body?.getReader().read();
    const waiting = post('/v1/chat/completions', { model: 'b', messages });
    stop.abort();
    expect((await waiting).text).toContain('I am org/b.');
    await until(() => context.queue.admitted === 0);
  });

  it('a client that leaves while it waits for room wants nothing loaded', async () => {
    const { url, context, seen } = await serve(1);
    const stop = new AbortController();
    const ask = (model: string, content: string, signal?: AbortSignal) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] }),
        ...(signal && { signal }),
      });
    const first = await ask('a', 'on', stop.signal);
    await first.body?.getReader().read();
    const gone = new AbortController();
    const waiting = expect(ask('b', 'Hi', gone.signal)).rejects.toThrow();
    await until(() => context.metrics.active === 2);
    gone.abort();
    await waiting;
    await until(() => context.metrics.active === 1);
    stop.abort();
    await until(() => context.metrics.active === 0);
    expect(seen).not.toContain('org/b');
  });

  it('when the server stops, who waits for room is told', async () => {
    const stopping = new AbortController();
    const { url, post, context } = await serve(1, { stopping: stopping.signal });
    const body = JSON.stringify({ model: 'a', stream: true, messages: [{ role: 'user', content: 'on' }] });
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    const waiting = post('/v1/chat/completions', { model: 'b', messages });
    await until(() => context.metrics.active === 2);
    stopping.abort();
    expect(await waiting).toMatchObject({ status: 503, text: expect.stringContaining('is stopping') });
    await response.text();
  });

  it('no name is a path', async () => {
    const { post, seen } = await serve();
    for (const model of ['../../etc/passwd', '/etc', '.', 'org/a/../b', 'ORG/A', 'org', ' org/a'])
      expect([model, (await post('/v1/chat/completions', { model, messages })).status]).toEqual([model, 404]);
    expect(seen).toEqual([]);
  });
});

it.each([
  [undefined, undefined],
  [null, undefined],
  [0, 0],
  ['0', 0],
  [30, 30_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['300ms', 300],
  ['1.5s', 1500],
  [-1, Number.POSITIVE_INFINITY],
  ['-1m', Number.POSITIVE_INFINITY],
])('keep_alive %s is %s ms', (given, ms) => {
  expect(keepAliveMs(given)).toBe(ms);
});

it.each(['soon', '', '5 minutes', '5mm', 'm', '1e3', 'NaN'])('keep_alive %j is refused', given => {
  expect(() => keepAliveMs(given)).toThrow('keep_alive');
});
