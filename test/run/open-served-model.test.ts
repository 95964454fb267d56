import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReplyStats } from '../../src/agent/events/turn-event.ts';
import type { ReplyEvent } from '../../src/agent/model/chat-model.ts';
import { ServedChatModel } from '../../src/agent/model/served-model.ts';
import { ServedClient } from '../../src/engine/served-client.ts';
import { openServedModel } from '../../src/run/open-served-model.ts';
import type { OtherModels } from '../../src/serve/models/model-pool.ts';
import { scriptedModel, serveScripted } from '../serve/scripted.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const MODEL = { id: 'm', object: 'model', owned_by: 'llm-host', context_length: 8192, thinking: false };
const ESCAPES = '\u001b[2J\u001b]52;c;aGk=\u0007\u202Egood\u200B';

/** A server that answers as the test says; its address. */
async function answering(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => answer(request, response, body));
    response.on('error', () => undefined);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const refuses = (status: number, message: string, code: string | null = null) =>
  says(status, { error: { message, type: 'x', param: null, code } });

async function open(url: string, name = '', apiKey?: string) {
  return await openServedModel({ kind: 'served', text: name, name, url, apiKey }, {});
}

/** What a reply of a streaming server comes to. */
async function reply(
  url: string,
  { signal, ...limits }: { signal?: AbortSignal; timeoutMs?: number; loads?: boolean } = {},
) {
  const client = new ServedClient({ baseUrl: url, ...limits });
  const model = new ServedChatModel({ client, name: 'm', contextLength: 8192, thinks: true });
  const events: ReplyEvent[] = [];
  const stream = model.reply({
    messages: [{ role: 'user', content: 'hi' }],
    tools: [],
    sampling: {},
    ...(signal && { signal }),
  });
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done) return { events, stats: step.value as ReplyStats, model };
    events.push(step.value);
  }
}

const delta = (fields: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const streams =
  (...parts: string[]): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(parts.join(''));

describe('a server that cannot be used is one clear line', () => {
  const notOurs = 'is not a server of llm-host';
  it.each<[string, Answer, string, string]>([
    ['a web page', says(200, '<html>hello</html>'), 'ENGINE_UNAVAILABLE', notOurs],
    ['a page that is missing', says(404, '<html>no</html>'), 'ENGINE_UNAVAILABLE', notOurs],
    ['another program', says(200, { data: [{ ...MODEL, owned_by: 'vllm' }] }), 'ENGINE_UNAVAILABLE', notOurs],
    ['a list', says(200, [MODEL]), 'ENGINE_UNAVAILABLE', notOurs],
    ['no models', says(200, { data: [] }), 'ENGINE_UNAVAILABLE', notOurs],
    ['a name with escapes', says(200, { data: [{ ...MODEL, id: ESCAPES }] }), 'ENGINE_UNAVAILABLE', notOurs],
    [
      'an endless name',
      says(200, { data: [{ ...MODEL, id: 'x'.repeat(9999) }] }),
      'ENGINE_UNAVAILABLE',
      notOurs,
    ],
    ['no context', says(200, { data: [{ ...MODEL, context_length: -1 }] }), 'ENGINE_UNAVAILABLE', notOurs],
    ['10 MB', says(200, `{"data":[${'1,'.repeat(5e6)}1]}`), 'ENGINE_UNAVAILABLE', notOurs],
    [
      'a redirect',
      says(302, '', { location: 'http://127.0.0.1:9/' }),
      'ENGINE_UNAVAILABLE',
      'No server can be reached',
    ],
    [
      'a key needed',
      refuses(401, 'An API key is required'),
      'ENGINE_UNAVAILABLE',
      'refuses: An API key is required',
    ],
    ['another Host', refuses(403, 'The Host header'), 'ENGINE_UNAVAILABLE', 'refuses: The Host header'],
    ['busy', refuses(429, 'All places'), 'ENGINE_UNAVAILABLE', 'is busy: all places are taken'],
    [
      'a key beyond its limit',
      refuses(429, "The key 'a' has 2 requests a minute; try again in 7 s", 'rate_limit_exceeded'),
      'ENGINE_UNAVAILABLE',
      "refuses: The key 'a' has 2 requests a minute; try again in 7 s$",
    ],
    ['stopping', refuses(503, 'The server is stopping'), 'ENGINE_UNAVAILABLE', 'The server is stopping'],
    ['an error with escapes', refuses(500, ESCAPES), 'ENGINE', /: good$/.source],
    ['an error of 2 MB', refuses(500, 'x'.repeat(2e6)), 'ENGINE_UNAVAILABLE', notOurs],
    ['an error of 9 kB', refuses(500, 'x'.repeat(9000)), 'ENGINE', /x{400} \.\.\.$/.source],
  ])('%s', async (_name, answer, code, message) => {
    const url = await answering(answer);
    await expect(open(url)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(message)),
    });
  });

  it('nobody there', async () => {
    await expect(open('http://127.0.0.1:9')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'No server can be reached at http://127.0.0.1:9',
      hint: expect.stringContaining('llm-host serve MODEL'),
    });
  });

  it('busy says when to try again, but only if that is a number', async () => {
    const busy = { error: { message: 'full', code: 'queue_full' } };
    const [soon, strange] = ['7', '7\u202E; rm'.replace(/[^ -~]/g, '~')];
    const first = await answering(says(429, busy, { 'retry-after': soon }));
    await expect(open(first)).rejects.toMatchObject({ hint: 'Try again in 7 s.' });
    const second = await answering(says(429, busy, { 'retry-after': strange }));
    await expect(open(second)).rejects.toMatchObject({ hint: 'Try again in a moment.' });
  });

  it('a model that it does not have; its key goes along', async () => {
    const keys: unknown[] = [];
    const url = await answering((request, response, body) => {
      keys.push(request.headers.authorization);
      if (request.url === '/v1/models') return says(200, { data: [MODEL] })(request, response, body);
      refuses(404, "The model 'org/x' does not exist; this server has 'm'", 'model_not_found')(
        request,
        response,
        body,
      );
    });
    await expect(open(url, 'org/x', 'secret')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    expect(keys).toEqual(['Bearer secret', 'Bearer secret']);
    const { name, description, notices } = await open(url);
    expect({ name, description, notices }).toEqual({
      name: 'm',
      description: `m at ${url}, context 8192`,
      notices: [],
    });
  });
});

describe('a model that its server has not loaded yet', () => {
  /** A server with one that is loaded, and others. */
  async function several() {
    const others: OtherModels = {
      list: () => ['org/a', 'org/broken'].map(id => ({ id })),
      open: async id => {
        if (id === 'org/broken') throw new Error('half of it is missing');
        const { loaded } = scriptedModel(id, () => `I am ${id}.`, { contextLength: 4000 });
        return { ...loaded, close: () => Promise.resolve() };
      },
    };
    return await serveScripted(() => 'I am the first.', { others });
  }

  it('is loaded there, and answers', async () => {
    const { url } = await several();
    const opened = await open(url, 'a');
    expect(opened).toMatchObject({ name: 'org/a', description: `org/a at ${url}, context 4000` });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const said: ReplyEvent[] = [];
    for await (const event of opened.model.reply({ messages, tools: [], sampling: {} })) said.push(event);
    expect(said.flatMap(event => (event.type === 'content' ? event.text : [])).join('')).toBe('I am org/a.');
  });

  it('and cannot be: the server says so', async () => {
    const { url } = await several();
    await expect(open(url, 'org/broken')).rejects.toMatchObject({
      code: 'ENGINE',
      message: expect.stringContaining("The model 'org/broken' cannot be loaded"),
    });
  });

  it('is not waited for once nobody wants it', async () => {
    const stop = new AbortController();
    const url = await answering((request, response, body) => {
      if (request.method === 'POST') return stop.abort(new Error('no more'));
      const unloaded = { ...MODEL, context_length: undefined };
      says(200, request.url === '/v1/models' ? { data: [MODEL] } : unloaded)(request, response, body);
    });
    const { signal } = stop;
    const source = { kind: 'served', text: 'm', name: 'm', url } as const;
    await expect(openServedModel(source, { signal })).rejects.toThrow('no more');
  });
});

describe('a reply', () => {
  it('text, thinking, calls and counts; what its server asks for in vain stays here', async () => {
    const sent: { body: Record<string, unknown>; tools: unknown }[] = [];
    const stream = streams(
      ': waiting, 2 ahead\n\n: prefill 5/10\n\n',
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning: 'hm' }),
      delta({ content: 'Hi\n' }),
      delta({ tool_calls: [{ id: 'a', function: { name: 'add', arguments: '{"a":1}' } }] }, 'tool_calls'),
      'data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}}\n\n',
      DONE,
    );
    const url = await answering((request, response, body) => {
      sent.push({ body: JSON.parse(body), tools: request.headers['x-llm-host-tools'] });
      stream(request, response, body);
    });
    const { events, stats } = await reply(url);
    expect(events).toEqual([
      { type: 'prefill', done: 5, total: 10, cached: 0 },
      { type: 'thinking', text: 'hm' },
      { type: 'content', text: 'Hi\n' },
      { type: 'call', name: 'add', arguments: { a: 1 }, raw: expect.any(String) },
    ]);
    expect(stats).toMatchObject({
      promptTokens: 12,
      cachedTokens: 2,
      generatedTokens: 3,
      finishReason: 'stop',
    });
    expect(sent).toEqual([
      {
        body: {
          model: 'm',
          stream: true,
          stream_options: { include_usage: true },
          messages: [{ role: 'user', content: 'hi' }],
        },
        tools: 'own',
      },
    ]);
  });

  it.each<[string, string[], RegExp]>([
    ['a stream without its end', [delta({ content: 'a' })], /disconnected during the reply/],
    [
      'an error in the stream',
      ['data: {"error":{"message":"The server is stopping","code":"stopping"}}\n\n'],
      /: The server is stopping$/,
    ],
    ['no JSON', ['data: hello\n\n'], /is not a server of llm-host/],
    ['no object', ['data: [1]\n\n'], /is not a server of llm-host/],
    ['a line of 5 MB', [`data: "${'x'.repeat(5e6)}"\n\n`], /sent more than any reply can hold/],
    [
      '70 MB',
      Array.from({ length: 70 }, () => `: ${'x'.repeat(1e6)}\n`),
      /sent more than any reply can hold/,
    ],
    [
      '65 calls',
      Array.from({ length: 65 }, () => delta({ tool_calls: [{ function: { name: 'x' } }] })),
      /more than 64 calls/,
    ],
  ])('%s is an error', async (_name, parts, message) => {
    const url = await answering(streams(...parts));
    await expect(reply(url)).rejects.toThrow(message);
  });

  it('what is hostile in it is cleaned, or told to the model as a broken call', async () => {
    const url = await answering(
      streams(
        delta({ content: ESCAPES }),
        delta({ reasoning: ESCAPES }),
        delta({ content: 7, reasoning: {}, tool_calls: 'x' }),
        'data: {"choices":7,"usage":{"prompt_tokens":1e300,"completion_tokens":-5}}\n\n',
        'data: {"choices":[null],"usage":[]}\n\n: prefill 99999999999/1\n\n',
        delta({ tool_calls: [{ function: { name: `${ESCAPES}x`, arguments: '{"__proto__":{"a":1}}' } }] }),
        delta({ tool_calls: [null, { function: { name: 'add', arguments: '[1]' } }] }),
        DONE,
      ),
    );
    const { events, stats } = await reply(url);
    expect(events.map(({ raw: _raw, ...event }: ReplyEvent & { raw?: string }) => event)).toEqual([
      { type: 'content', text: 'good' },
      { type: 'thinking', text: 'good' },
      { type: 'call', name: 'goodx', arguments: JSON.parse('{"__proto__":{"a":1}}') },
      { type: 'malformed', reason: 'a call without a name' },
      { type: 'malformed', reason: 'the arguments are not a JSON object' },
    ]);
    expect(({} as { a?: number }).a).toBeUndefined();
    expect(stats).toMatchObject({ promptTokens: 0, generatedTokens: 0 });
  });

  it('a server that dies, one that falls silent, and an abort, which ends the request', async () => {
    const dies = await answering((_request, response) => {
      response.writeHead(200).write(delta({ content: 'a' }));
      setTimeout(() => response.destroy(), 50);
    });
    await expect(reply(dies)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('disconnected during the reply'),
    });
    let closed = false;
    const silent = await answering((_request, response) => {
      response.writeHead(200).write(delta({ content: 'a' }));
      response.on('close', () => {
        closed = true;
      });
    });
    await expect(reply(silent, { timeoutMs: 300 })).rejects.toThrow('did not respond for 0.3 s');
    closed = false;
    const { stats, events } = await reply(silent, { signal: AbortSignal.timeout(300) });
    expect(stats.finishReason).toBe('cancelled');
    expect(events).toEqual([{ type: 'content', text: 'a' }]);
    await expect.poll(() => closed).toBe(true);
  });

  it('a server that loads the model first may be silent until it answers, and no longer', async () => {
    const loads = (...parts: string[]) =>
      answering((_request, response) => {
        setTimeout(() => response.writeHead(200).write(parts.join('')), 300);
      });
    const whole = await loads(delta({ content: 'a' }), DONE);
    await expect(reply(whole, { timeoutMs: 100 })).rejects.toThrow('did not respond for 0.1 s');
    expect((await reply(whole, { timeoutMs: 100, loads: true })).events).toEqual([
      { type: 'content', text: 'a' },
    ]);
    const half = await loads(delta({ content: 'a' }));
    await expect(reply(half, { timeoutMs: 100, loads: true })).rejects.toThrow('did not respond for 0.1 s');
  });

  it('a server that stops, or has no room, is unavailable in mid-stream too', async () => {
    const stop = new AbortController();
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const { url } = await serveScripted(() => [...Array(4000).keys()].join(' '), { stopping: stop.signal });
    const stopping = { code: 'ENGINE_UNAVAILABLE', message: expect.stringContaining('is stopping') };
    const { model } = await open(url);
    const read = async () => {
      for await (const _ of model.reply({ messages, tools: [], sampling: {} })) stop.abort();
    };
    await expect(read()).rejects.toMatchObject(stopping);
    const full = `: loading the model\n\ndata: {"error":{"message":"There is no room","code":"no_room"}}\n\n`;
    await expect(reply(await answering(streams(full)))).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  });

  it('counts of the server correct the estimate, within limits', async () => {
    const count = (tokens: number) => `data: {"choices":[],"usage":{"prompt_tokens":${tokens}}}\n\n`;
    const request = { messages: [{ role: 'user' as const, content: 'x'.repeat(3500) }], tools: [] };
    const { model } = await reply(await answering(streams(count(1), DONE)));
    const plain = model.countTokens(request);
    const { model: dense } = await reply(await answering(streams(count(1_000_000), DONE)));
    expect(dense.countTokens(request) / plain).toBeCloseTo(4, 1);
  });
});
