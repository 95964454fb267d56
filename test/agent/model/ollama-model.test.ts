import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReplyEvent, ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import { OllamaChatModel } from '../../../src/agent/model/ollama-model.ts';
import { OllamaClient } from '../../../src/engine/ollama-client.ts';
import { openOllamaModel } from '../../../src/run/open-ollama-model.ts';

type Handler = (body: Record<string, unknown>, response: ServerResponse, path: string) => void;

/** A stand-in for an Ollama server; keeps the bodies of what it was asked. */
async function standIn(handler: Handler) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      bodies.push(body);
      handler(body, response, request.url ?? '');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** Answers with these lines, cut where nobody expects it. */
function replaying(...lines: object[]): Handler {
  return (_body, response) => {
    const bytes = Buffer.from(lines.map(line => JSON.stringify(line)).join('\n'));
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  };
}

const DONE = { done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 3 };
const message = (fields: object) => ({
  model: 'm',
  created_at: 'x',
  message: { role: 'assistant', content: '', ...fields },
  done: false,
});

async function replyOf(url: string, fields: Partial<ReplyRequest> = {}, thinks = false, timeoutMs = 5000) {
  const client = new OllamaClient({ baseUrl: url, timeoutMs });
  const model = new OllamaChatModel({ client, name: 'm', contextLength: 4096, numCtx: 4096, thinks });
  const reply = model.reply({
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [],
    sampling: {},
    ...fields,
  });
  const events: ReplyEvent[] = [];
  for (;;) {
    const step = await reply.next();
    if (step.done) return { events, stats: step.value };
    events.push(step.value);
  }
}

describe('the shapes of /api/chat', () => {
  it.each([
    ['text in pieces', [message({ content: 'The ' }), message({ content: 'sky 🌈' })], 'The sky 🌈'],
    ['no content', [{ ...message({}), message: { role: 'assistant' } }], ''],
    ['one whole object, as without a stream', [], 'whole'],
  ])('%s', async (_name, lines, expected) => {
    const last = { ...message({ content: expected === 'whole' ? 'whole' : '' }), ...DONE };
    const { url } = await standIn(replaying(...lines, last));
    const { events, stats } = await replyOf(url);
    expect(events.map(event => (event.type === 'content' ? event.text : '')).join('')).toBe(expected);
    expect(stats).toMatchObject({ promptTokens: 26, generatedTokens: 3, finishReason: 'stop' });
  });

  it.each([
    ['an object', { a: 1, deep: { list: [1] } }],
    ['a string', '{"a":1,"deep":{"list":[1]}}'],
  ])('arguments of calls as %s', async (_name, args) => {
    const calls = [
      { function: { name: 'add', arguments: args } },
      { id: 'x', function: { index: 1, name: 'now' } },
    ];
    const { url } = await standIn(replaying(message({ tool_calls: calls }), { ...message({}), ...DONE }));
    const { events } = await replyOf(url);
    expect(events).toMatchObject([
      { type: 'call', name: 'add', arguments: { a: 1, deep: { list: [1] } } },
      { type: 'call', name: 'now', arguments: {} },
    ]);
  });

  it.each([
    [{ function: { name: 'add', arguments: '{"a":' } }],
    [{ function: { name: 'add', arguments: [1] } }],
    [{ function: { arguments: {} } }],
    ['add'],
  ])('a call that cannot be read: %j', async call => {
    const { url } = await standIn(replaying(message({ tool_calls: [call] }), { ...message({}), ...DONE }));
    const { events } = await replyOf(url);
    expect(events).toMatchObject([{ type: 'malformed', reason: expect.stringMatching(/arguments/) }]);
  });

  it('thinking, which is asked for only where the model can', async () => {
    const { url, bodies } = await standIn(
      replaying(message({ thinking: 'Hm. ' }), message({ content: 'Yes.' }), { ...message({}), ...DONE }),
    );
    const { events } = await replyOf(url, { thinking: true }, true);
    expect(events).toEqual([
      { type: 'thinking', text: 'Hm. ' },
      { type: 'content', text: 'Yes.' },
    ]);
    await replyOf(url, { thinking: true }, false);
    expect(bodies.map(body => body.think)).toEqual([true, undefined]);
  });

  it('the request: options, tools kept whole, calls and results in its own form', async () => {
    const { url, bodies } = await standIn(replaying({ ...message({}), ...DONE, done_reason: 'length' }));
    const parameters = {
      type: 'object',
      $defs: { point: { type: 'array', items: { type: 'array', items: { type: 'number' } } } },
      properties: {
        at: { $ref: '#/$defs/point' },
        kind: { oneOf: [{ const: 'a' }, { allOf: [{ type: 'null' }] }] },
      },
    };
    const tool = { type: 'function' as const, function: { name: 'draw', parameters } };
    const call = {
      id: 'c1',
      type: 'function' as const,
      function: { name: 'draw', arguments: { at: [[1]] } },
    };
    const { stats } = await replyOf(url, {
      messages: [
        { role: 'system', content: 'S' },
        { role: 'assistant', content: '', reasoning_content: 'why', tool_calls: [call] },
        { role: 'tool', content: 'drawn', tool_call_id: 'c1', name: 'draw' },
      ],
      tools: [tool],
      sampling: { temperature: 0, topP: 0.9, seed: 7, maxTokens: 5, stop: ['X'], repetitionPenalty: 1.1 },
    });
    expect(stats.finishReason).toBe('length');
    expect(bodies[0]).toEqual({
      model: 'm',
      stream: true,
      tools: [tool],
      messages: [
        { role: 'system', content: 'S' },
        { role: 'assistant', content: '', thinking: 'why', tool_calls: [{ function: call.function }] },
        { role: 'tool', content: 'drawn', tool_name: 'draw' },
      ],
      options: {
        temperature: 0,
        top_p: 0.9,
        seed: 7,
        num_predict: 5,
        stop: ['X'],
        repeat_penalty: 1.1,
        num_ctx: 4096,
      },
    });
  });

  it('plain text goes to /api/generate without the template', async () => {
    const { url, bodies } = await standIn((_body, response, path) =>
      response.end(JSON.stringify({ response: path, done: true })),
    );
    const { events } = await replyOf(url, { text: 'Once' });
    expect(events).toEqual([{ type: 'content', text: '/api/generate' }]);
    expect(bodies[0]).toMatchObject({ prompt: 'Once', raw: true });
  });
});

const nothing = () => undefined;
const OPTIONS = {
  kvBits: undefined,
  cwd: '.',
  env: {},
  onProgress: nothing,
  onDownload: nothing,
  onWait: nothing,
};

describe('what goes wrong', () => {
  const status =
    (code: number, body: string): Handler =>
    (_body, response) => {
      response.statusCode = code;
      response.end(body);
    };

  it.each([
    [404, '{"error":"model \'m\' not found"}', 'MODEL_NOT_FOUND', /Model 'm' not found/],
    [400, '{"error":"registry.ollama.ai/library/m does not support tools"}', 'MODEL_UNSUPPORTED', /tools/],
    [400, '{"error":{"message":"the input exceeds the context length"}}', 'CONTEXT_FULL', /context length/],
    [500, '{"error":"llama runner process has terminated"}', 'ENGINE', /runner process/],
    [502, '<html>Bad gateway</html>', 'ENGINE', /Bad gateway|status 502/],
    [500, '', 'ENGINE', /status 500/],
    [200, '{"error":"out of memory in mid-stream"}', 'ENGINE', /out of memory/],
    [200, 'not JSON at all', 'ENGINE', /did not answer like an Ollama server/],
    [200, '[1]', 'ENGINE', /did not answer like an Ollama server/],
    [200, '', 'ENGINE', /ended its reply early/],
  ])('%i %s is %s', async (code, body, expected, text) => {
    const { url } = await standIn(status(code, body));
    await expect(replyOf(url)).rejects.toMatchObject({
      code: expected,
      message: expect.stringMatching(text),
    });
  });

  it('nobody there: one clear line, the fix, and exit code 69', async () => {
    const failed = await openOllamaModel('m', {
      ...OPTIONS,
      contextLength: 0,
      ollama: { baseUrl: 'http://127.0.0.1:9' },
    }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: 'Ollama is not reachable at http://127.0.0.1:9',
      hint: expect.stringContaining('ollama serve'),
      exitCode: 69,
    });
  });

  it('a server that says nothing, or stops in mid-stream, is given up', async () => {
    const { url } = await standIn((_body, response) =>
      response.write(`${JSON.stringify(message({ content: 'a' }))}\n`),
    );
    await expect(replyOf(url, {}, false, 100)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('did not respond for 0.1 s'),
    });
  });

  it('a connection that breaks in mid-stream', async () => {
    const { url } = await standIn((_body, response) => {
      response.write(`${JSON.stringify(message({ content: 'a' }))}\n`);
      setTimeout(() => response.destroy(), 10);
    });
    await expect(replyOf(url)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `Ollama at ${url} broke off in the middle of its answer`,
      hint: expect.stringContaining('/retry'),
    });
  });

  it('an abort ends the request and keeps what was said', async () => {
    let closed = false;
    const { url } = await standIn((_body, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write(`${JSON.stringify(message({ content: 'a' }))}\n`);
    });
    const stop = new AbortController();
    const client = new OllamaClient({ baseUrl: url, timeoutMs: 5000 });
    const model = new OllamaChatModel({ client, name: 'm', contextLength: 4096, thinks: false });
    const reply = model.reply({
      messages: [{ role: 'user', content: '?' }],
      tools: [],
      sampling: {},
      signal: stop.signal,
    });
    expect((await reply.next()).value).toEqual({ type: 'content', text: 'a' });
    stop.abort();
    expect(await reply.next()).toMatchObject({ done: true, value: { finishReason: 'cancelled' } });
    await expect.poll(() => closed).toBe(true);
  });

  it('redirects are not followed', async () => {
    const { url } = await standIn((_body, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:9/api/chat' });
      response.end();
    });
    await expect(replyOf(url)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  });

  it('a base url that is none is refused at once', () => {
    for (const baseUrl of ['localhost:11434', 'ftp://x', ''])
      expect(() => new OllamaClient({ baseUrl, timeoutMs: 1 })).toThrow(/must begin with http/);
  });
});

describe('a model of Ollama', () => {
  const shown =
    (fields: object): Handler =>
    (_body, response, path) =>
      response.end(JSON.stringify(path === '/api/version' ? { version: '0.13.0' } : fields));

  it.each([
    [{ parameters: 'stop "x"\nnum_ctx    16384', model_info: { 'qwen2.context_length': 32768 } }, 0, 16384],
    [{ model_info: { 'qwen2.context_length': 32768 } }, 0, 4096],
    [{ model_info: { 'x.context_length': 2048 } }, 0, 2048],
    [{}, 8192, 8192],
  ])('%j with --context %i has a context of %i', async (fields, contextLength, expected) => {
    const { url } = await standIn(shown(fields));
    const { model } = await openOllamaModel('m', { ...OPTIONS, contextLength, ollama: { baseUrl: url } });
    expect(model.contextLength).toBe(expected);
  });

  it('says when it cannot call tools', async () => {
    const { url } = await standIn(shown({ capabilities: ['completion'] }));
    const { notices } = await openOllamaModel('m', {
      ...OPTIONS,
      contextLength: 0,
      ollama: { baseUrl: url },
    });
    expect(notices[0]).toMatch(/cannot call tools/);
  });
});

describe('a reply that repeats itself without end', () => {
  const endless: Handler = (_body, response) => {
    const send = () => response.write(`${JSON.stringify(message({ content: 'la ' }))}\n`);
    const timer = setInterval(() => Array.from({ length: 20 }, send), 1);
    response.on('close', () => clearInterval(timer));
  };

  it('is stopped by length, and the request to Ollama ends', async () => {
    let closed = false;
    const { url } = await standIn((body, response, path) => {
      response.on('close', () => {
        closed = true;
      });
      endless(body, response, path);
    });
    const { events, stats } = await replyOf(url);
    expect(events).toHaveLength(200);
    expect(stats).toMatchObject({ finishReason: 'length', repetitive: true, generatedTokens: 200 });
    await expect.poll(() => closed).toBe(true);
  });

  it('goes on with the guard off', async () => {
    const lines = Array.from({ length: 300 }, () => message({ content: 'la ' }));
    const { url } = await standIn(replaying(...lines, { ...message({}), ...DONE }));
    const client = new OllamaClient({ baseUrl: url, timeoutMs: 5000 });
    const parts = { client, name: 'm', contextLength: 4096, thinks: false, repetitionGuard: false };
    const reply = new OllamaChatModel(parts).reply({ messages: [], tools: [], sampling: {} });
    let pieces = 0;
    for await (const event of reply) pieces += event.type === 'content' ? 1 : 0;
    expect(pieces).toBe(300);
  });
});
