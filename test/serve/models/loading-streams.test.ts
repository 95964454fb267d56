import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { scriptedModel, serveScripted, until } from '../scripted.ts';

const model = 'org/slow';
const messages = [{ role: 'user' as const, content: 'Hi' }];
const STREAMS: readonly (readonly [string, object])[] = [
  ['/v1/chat/completions', { messages }],
  ['/v1/completions', { prompt: 'x' }],
  ['/v1/responses', { input: 'x' }],
  ['/v1/messages', { messages, max_tokens: 50 }],
];

/** A server whose second model is loaded, or fails to be, when it is let. */
async function slow(keepAliveMs = 10) {
  const gate = { settle: (_error?: Error): void => undefined };
  const settled = new Promise<void>((resolve, reject) => {
    gate.settle = error => (error ? reject(error) : resolve());
  });
  settled.catch(() => undefined);
  const others = {
    list: () => [{ id: model }],
    open: async () => {
      await settled;
      const { loaded } = scriptedModel(model, () => 'Here.', { contextLength: 2000 });
      return { ...loaded, close: () => Promise.resolve() };
    },
  };
  const server = await serveScripted(() => 'I am the first.', { others, limits: { keepAliveMs } });
  const post = (path: string, body: object) =>
    fetch(server.url + path, { method: 'POST', body: JSON.stringify({ model, ...body }) });
  return { ...server, post, settle: gate.settle };
}

const broken = new LlmHostError('MODEL_BROKEN', 'its weights are cut off');

describe('a stream whose model has to be loaded', () => {
  it.each(STREAMS)('%s says so, and goes on with the reply', async (path, body) => {
    const { post, settle, records } = await slow();
    const response = await post(path, { ...body, stream: true });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(response.headers.get('x-request-id')).toMatch(/./);
    settle();
    const text = await response.text();
    expect(text).toMatch(/^: loading the model\n\n/);
    expect(text.replaceAll(/^: .*\n\n/gm, '')).toMatch(/^(event|data): /);
    const said = [...text.matchAll(/"(?:content|text|delta)":"(\w|\.)"/g)].map(([, letter]) => letter);
    expect(said.join('')).toContain('Here.');
    await until(() => records.length === 1);
  });

  it('ends with the reason where it cannot be, as the official clients read it', async () => {
    const { url, settle } = await slow();
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    const chat = await openai.chat.completions.create({ model, messages, stream: true });
    const responses = await openai.responses.create({ model, input: 'x', stream: true });
    const said = await anthropic.messages.create({ model, messages, max_tokens: 50, stream: true });
    settle(broken);
    const all = async (stream: AsyncIterable<unknown>) => {
      for await (const _ of stream);
    };
    const why = /'org\/slow' cannot be loaded/;
    await Promise.all([chat, responses, said].map(one => expect(all(one)).rejects.toThrow(why)));
  });

  it('ends with the fault that only the loaded model can find', async () => {
    const { post, settle } = await slow();
    const long = [{ role: 'user', content: 'x'.repeat(5000) }];
    const response = await post('/v1/chat/completions', { messages: long, stream: true });
    settle();
    expect(await response.text()).toMatch(/\n\ndata: \{"error":.*"context_length_exceeded"\}\}\n\n$/);
  });

  it('whose client leaves meanwhile is over', async () => {
    const { url, post, settle, records } = await slow();
    const stop = new AbortController();
    const body = JSON.stringify({ model, messages, stream: true });
    await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal: stop.signal });
    stop.abort();
    await until(() => records.length === 1);
    expect(records[0]).toMatchObject({ aborted: true, problem: undefined });
    settle();
    expect(await (await post('/v1/chat/completions', { messages })).text()).toContain('Here.');
  });

  it('is an answer with a status where it has not begun', async () => {
    const { post, settle } = await slow(10_000);
    settle(broken);
    for (const [path, body] of STREAMS)
      expect((await post(path, { ...body, stream: true })).status).toBeGreaterThan(399);
  });
});

it('other answers wait for the model in silence', async () => {
  const { post, settle } = await slow();
  const asked = [
    ...STREAMS.map(([path, body]) => post(path, body)),
    post('/v1/messages/count_tokens', { messages, stream: true }),
    post('/api/chat', { messages, stream: true }),
  ];
  const begun = await Promise.race([...asked, new Promise(resolve => setTimeout(resolve, 100, 'none'))]);
  expect(begun).toBe('none');
  settle();
  for (const response of await Promise.all(asked)) {
    expect(response.headers.get('content-type')).toMatch(/json/);
    expect(await response.text()).not.toContain('loading');
  }
});
