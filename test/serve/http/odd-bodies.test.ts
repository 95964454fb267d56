import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FakeHost } from '../../agent/fakes.ts';
import { ask, chat, contentOf } from '../asking.ts';
import { serveScripted } from '../scripted.ts';

/** Half of a pair: JSON may hold it, UTF-8 cannot. */
const LONE = '"a\\ud800b\\udc00"';
const user = (content: string) => `{"role":"user","content":${content}}`;
const tool = (fields: string) => `{"type":"function","function":{${fields}}}`;

describe('lone surrogates', () => {
  const said = user('"hi"');
  it.each([
    ['in a message', '/v1/chat/completions', `{"messages":[${user(LONE)}]}`],
    ['in a part', '/v1/chat/completions', `{"messages":[${user(`[{"type":"text","text":${LONE}}]`)}]}`],
    [
      'in thinking',
      '/v1/chat/completions',
      `{"messages":[${said},{"role":"assistant","content":"x","reasoning":${LONE}},${said}]}`,
    ],
    ['in stop', '/v1/chat/completions', `{"messages":[${said}],"stop":[${LONE}]}`],
    ['in user', '/v1/chat/completions', `{"messages":[${said}],"user":${LONE}}`],
    ['in model', '/v1/chat/completions', `{"messages":[${said}],"model":${LONE}}`],
    ['in an unknown field', '/v1/chat/completions', `{"messages":[${said}],${LONE}:${LONE}}`],
    [
      'in the name of a tool',
      '/v1/chat/completions',
      `{"messages":[${said}],"tools":[${tool(`"name":${LONE}`)}]}`,
    ],
    [
      'in the description of a tool',
      '/v1/chat/completions',
      `{"messages":[${said}],"tools":[${tool(`"name":"f","description":${LONE}`)}]}`,
    ],
    [
      'in a schema',
      '/v1/chat/completions',
      `{"messages":[${said}],"tools":[${tool(`"name":"f","parameters":{"type":"object","properties":{${LONE}:{"enum":[${LONE}]}}}`)}]}`,
    ],
    [
      'in the format of a reply',
      '/v1/chat/completions',
      `{"messages":[${said}],"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{${LONE}:{"enum":[${LONE}]}}}}}}`,
    ],
    [
      'in a call and its id',
      '/v1/chat/completions',
      `{"messages":[${said},{"role":"assistant","tool_calls":[{"id":${LONE},"function":{"name":"f","arguments":{${LONE}:${LONE}}}}]},{"role":"tool","tool_call_id":${LONE},"content":${LONE}}]}`,
    ],
    ['in a prompt, with echo', '/v1/completions', `{"prompt":${LONE},"echo":true}`],
    ['in an input', '/v1/responses', `{"input":${LONE},"instructions":${LONE},"metadata":{${LONE}:${LONE}}}`],
    ['in a chat of Ollama', '/api/chat', `{"stream":false,"messages":[${user(LONE)}]}`],
    ['in a prompt of Ollama', '/api/generate', `{"stream":false,"prompt":${LONE},"system":${LONE}}`],
  ])('%s: answered or refused, in JSON of valid UTF-8', async (_, path, body) => {
    const { url, records } = await serveScripted(() => '{}');
    const response = await fetch(url + path, { method: 'POST', body });
    const bytes = await response.arrayBuffer();
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    expect(JSON.parse(text)).toBeTypeOf('object');
    expect(response.status, text).toBeLessThan(500);
    expect(records.map(({ problem }) => problem)).toEqual([undefined]);
    expect(await contentOf(await chat(url, ask('?')))).toBe('{}');
  });

  it('that a model writes reach the client in valid UTF-8, streamed or whole', async () => {
    const { url } = await serveScripted(() => 'a\ud800b');
    expect(await contentOf(await chat(url, ask('?')))).toBe('a\ud800b');
    const bytes = await (await chat(url, ask('?', { stream: true }))).arrayBuffer();
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  });
});

it('a compressed body is refused as that', async () => {
  const { url } = await serveScripted(() => 'ok');
  const body = gzipSync(JSON.stringify(ask('x')));
  const headers = { 'content-encoding': 'gzip' };
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toEqual([
    415,
    {
      error: {
        message: "Bodies in the content encoding 'gzip' cannot be read; send it uncompressed",
        type: 'invalid_request_error',
        param: null,
        code: 'unsupported_encoding',
      },
    },
  ]);
  const plain = await chat(url, ask('x'), { headers: { 'content-encoding': 'Identity' } });
  expect(await contentOf(plain)).toBe('ok');
});

describe('keys twice', () => {
  it('the last one counts, as everywhere else', async () => {
    const { url, engine } = await serveScripted(() => 'x'.repeat(50));
    const body = `{"messages":[${user('"first"')}],"max_tokens":40,"messages":[${user('"second"')}],"max_tokens":3}`;
    expect(await contentOf(await chat(url, body))).toBe('xxx');
    expect(String.fromCodePoint(...Array.from(engine.requests[0]?.promptIds ?? []))).not.toContain('first');
  });
  it('__proto__ and constructor are fields like others', async () => {
    const { url } = await serveScripted(() => 'ok');
    const body = `{"__proto__":{"max_tokens":1},"constructor":{"prototype":{"stream":true}},"messages":[${user('"x"')}]}`;
    expect(await contentOf(await chat(url, body))).toBe('ok');
    expect(({} as { stream?: unknown }).stream).toBeUndefined();
  });
});

describe('many of everything', () => {
  const short = (count: number) => Array.from({ length: count }, () => ({ role: 'user', content: 'x' }));
  const schema = { type: 'object', properties: { a: { description: 'x'.repeat(1024 * 1024) } } };
  const named = (count: number, parameters: object = {}) =>
    Array.from({ length: count }, (_, index) => ({
      type: 'function',
      function: { name: `f${index}`, parameters },
    }));
  it.each([
    ['10,001 messages', ask('', { messages: short(10_001) }), 400, 'messages'],
    ['1,000,000 messages', ask('', { messages: short(200_000) }), 400, 'messages'],
    ['10,000 messages', ask('', { messages: short(10_000) }), 400, 'context'],
    ['513 tools', ask('x', { tools: named(513) }), 400, 'tools'],
    ['a tool with a schema of 1 MB', ask('x', { tools: named(1, schema) }), 400, "'f0' is larger than 32 KB"],
    [
      'nine tools with schemas of 1 MB',
      ask('x', { tools: named(9, schema) }),
      400,
      "'f0' is larger than 32 KB",
    ],
    [
      'a reply by a schema of 1 MB',
      ask('x', { response_format: { type: 'json_schema', json_schema: { schema } } }),
      400,
      'larger than 32 KB',
    ],
    ['10,000 stops', ask('x', { stop: Array.from({ length: 10_000 }, String) }), 400, 'stop'],
    [
      '200,000 fields nobody knows',
      ask('x', Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i]))),
      200,
      'ok',
    ],
    [
      'a bias for 100,000 tokens',
      ask('x', { logit_bias: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`${i}`, 1])) }),
      200,
      'ok',
    ],
    ['a user of 1 MB', ask('x', { user: 'u'.repeat(1024 * 1024) }), 400, 'user'],
    ['a model of 1 MB', ask('x', { model: 'm'.repeat(1024 * 1024) }), 404, 'model'],
  ])('%s: a short answer, little work, and others are served', async (_, body, status, words) => {
    const { url } = await serveScripted(() => 'ok', { turns: { tools: new FakeHost({}) } });
    const sent = JSON.stringify(body);
    const before = process.cpuUsage();
    const response = await chat(url, sent);
    const text = await response.text();
    const { user: us, system } = process.cpuUsage(before);
    expect([response.status, text.slice(0, 300)]).toEqual([status, expect.stringContaining(words)]);
    expect(text.length).toBeLessThan(3000);
    // Client and server share this process. Ten times what it takes.
    expect((us + system) / 1000).toBeLessThan(3000);
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
  });
});
