import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { endless } from '../asking.ts';
import { question, serveScripted, until } from '../scripted.ts';

const ask = (content: unknown, more: object = {}) => ({
  max_tokens: 50,
  messages: [{ role: 'user', content }],
  ...more,
});
const post = (url: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
const textOf = async (response: Response) =>
  ((await response.json()) as { content: { text: string }[] }).content[0]?.text;
const use = { type: 'tool_use', id: 't1', name: 'f', input: {} };
const calledThen = (content: unknown, assistant: unknown = [use]) => ({
  max_tokens: 50,
  messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: assistant },
    { role: 'user', content },
  ],
});

/** A value that each field cannot have. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  model: [1, {}],
  messages: [
    1,
    'x',
    [],
    {},
    [null],
    [{ role: 'user' }],
    [{ role: 'tool', content: 'x' }],
    [{ content: 'x' }],
  ],
  max_tokens: [undefined, null, 0, -1, 1.5, '5', 2 ** 40, {}],
  system: [1, true, {}, [1], [{ type: 'text' }], [{ type: 'image', source: {} }], [{ text: 'x' }]],
  temperature: ['hot', -1, 9, {}],
  top_p: ['x', 2, []],
  top_k: [-1, 1.5, '4'],
  stop_sequences: [1, {}, [1], Array.from({ length: 65 }, String)],
  stream: ['yes', 1],
  metadata: [1, 'x', { user_id: 1 }, { user_id: 'u'.repeat(257) }],
  tools: [
    ...[
      1,
      {},
      [1],
      [{}],
      [{ name: 'f' }],
      [{ name: '', input_schema: {} }],
      [{ name: 'f', input_schema: 1 }],
    ],
    [{ type: 'web_search_20250305', name: 'web_search' }],
    [{ name: 'f', input_schema: {}, description: 1 }],
    [{ name: 'f', input_schema: { description: 'x'.repeat(40_000) } }],
    Array.from({ length: 513 }, (_, index) => ({ name: `f${index}`, input_schema: {} })),
  ],
  tool_choice: ['auto', 1, {}, { type: 'x' }, { type: 'tool' }, { type: 'tool', name: 'g' }, { type: 'any' }],
  thinking: [
    ...[true, {}, { type: 'on' }, { type: 'enabled' }, { type: 'enabled', budget_tokens: 1 }],
    { type: 'enabled', budget_tokens: '2000' },
    { type: 'enabled', budget_tokens: 5000 },
  ],
  output_config: [1, { format: 1 }, { format: { type: 'text' } }, { format: { type: 'json_schema' } }],
  container: ['c'],
  mcp_servers: [[{ type: 'url', url: 'http://x', name: 'x' }]],
};

/** Contents of a message that cannot be read, and the field that the error names. */
const CONTENTS: readonly (readonly [unknown, string])[] = [
  [null, 'messages[0].content'],
  [5, 'messages[0].content'],
  [{ type: 'text', text: 'x' }, 'messages[0].content'],
  [[null], 'messages[0].content[0]'],
  [['x'], 'messages[0].content[0]'],
  [[{ text: 'x' }], 'messages[0].content[0]'],
  [[{ type: 5 }], 'messages[0].content[0]'],
  [[{ type: 'text' }], 'messages[0].content[0].text'],
  [[{ type: 'text', text: 5 }], 'messages[0].content[0].text'],
  [[{ type: 'video' }], 'messages[0].content[0]: blocks of type'],
  [[{ type: '__proto__' }], 'messages[0].content[0]: blocks of type'],
  [[{ type: 'text', text: 'x' }, { type: 'image' }], 'messages[0].content[1]'],
  [
    [{ type: 'document', source: { type: 'base64', data: 'x' } }],
    'messages[0].content[0].source: only documents',
  ],
  [[{ type: 'document' }], 'messages[0].content[0].source[0]'],
  [[{ type: 'tool_result' }], 'messages[0].content[0].tool_use_id'],
  [[{ type: 'tool_result', tool_use_id: 't1', content: 'x' }], "messages[0].content[0]: tool_use_id 't1'"],
  [[{ type: 'tool_use', id: 't1', name: 'f', input: {} }], 'messages[0].content[0]: blocks of type'],
];

describe('bodies of /v1/messages', () => {
  it.each(Object.entries(WRONG))(
    '%s of a wrong type is refused by name, and others are served',
    async (name, values) => {
      const { url, engine } = await serveScripted(() => 'ok');
      for (const value of values) {
        const tools = [{ name: 'f', input_schema: {} }];
        const response = await post(url, {
          ...ask(
            'hi',
            name === 'tool_choice' && (value as { type?: string }).type === 'tool' ? { tools } : {},
          ),
          [name]: value,
        });
        const { type, error } = (await response.json()) as {
          type: string;
          error: { type: string; message: string };
        };
        const told = [JSON.stringify(value)?.slice(0, 80), response.status, type, error?.type];
        expect(told).toEqual([told[0], 400, 'error', 'invalid_request_error']);
        expect(error.message).toContain(name);
        expect(error.message.length).toBeLessThan(1100);
      }
      expect(engine.requests).toEqual([]);
      expect(await textOf(await post(url, ask('?')))).toBe('ok');
    },
  );

  it('contents that cannot be read are refused by their place', async () => {
    const { url, engine } = await serveScripted(() => 'ok');
    for (const [content, place] of CONTENTS) {
      const response = await post(url, ask(content));
      const { error } = (await response.json()) as { error: { message: string } };
      const told = [JSON.stringify(content), response.status, error?.message];
      expect(told).toEqual([told[0], 400, expect.stringContaining(place)]);
    }
    const bad: readonly (readonly [object, string])[] = [
      [calledThen('x', [{ ...use, input: 'x' }]), 'messages[1].content[0].input'],
      [calledThen('x', [{ ...use, id: 5 }]), 'messages[1].content[0].id'],
      [calledThen('x', [{ type: 'thinking' }]), 'messages[1].content[0].thinking'],
      [calledThen([{ type: 'tool_result', tool_use_id: 't2' }]), "'t2' answers no tool_use"],
      [
        calledThen([{ type: 'tool_result', tool_use_id: 't1', is_error: 'yes' }]),
        'messages[2].content[0].is_error',
      ],
      [
        calledThen([{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'image' }] }]),
        'content[0].content[0]',
      ],
      [
        { max_tokens: 5, messages: [{ role: 'assistant', content: 'I' }] },
        'the last one must be of the user',
      ],
    ];
    for (const [body, words] of bad) {
      const response = await post(url, body);
      const told = [JSON.stringify(body), response.status, await response.text()];
      expect(told).toEqual([told[0], 400, expect.stringContaining(words)]);
    }
    expect(engine.requests).toEqual([]);
  });

  it('blocks that can be read: documents, search results, results of every form', async () => {
    const { url, engine } = await serveScripted(() => 'ok');
    const text = (words: string) => ({ type: 'text', text: words });
    const result = { type: 'tool_result', tool_use_id: 't1' };
    const bodies = [
      ask([
        {
          type: 'document',
          title: 'Doc-title',
          source: { type: 'text', media_type: 'text/plain', data: 'doc-data' },
        },
        { type: 'document', source: { type: 'content', content: [text('doc-block')] } },
        { type: 'search_result', title: 'found', source: 'http://x', content: [text('found-text')] },
      ]),
      calledThen([
        {
          ...result,
          content: [
            text('first'),
            { type: 'search_result', source: 's', title: 't', content: [text('second')] },
          ],
        },
      ]),
      ...[undefined, null, '', []].map(content => calledThen([{ ...result, content }])),
      calledThen('x', [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
        text('I said'),
      ]),
      {
        max_tokens: 5,
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
          { role: 'system', content: 'late' },
          { role: 'user', content: 'c' },
        ],
      },
      calledThen([{ type: 'mid_conv_system', content: [text('mid')] }, text('y')]),
      calledThen('x', []),
    ];
    for (const body of bodies) {
      const response = await post(url, body);
      const answered = await response.text();
      expect([response.status, answered]).toEqual([200, expect.stringContaining('ok')]);
    }
    const prompts = engine.requests.map(({ promptIds }) => String.fromCodePoint(...Array.from(promptIds)));
    for (const words of ['Doc-title\ndoc-data', 'doc-block', 'found\nhttp://x\nfound-text'])
      expect(prompts[0]).toContain(words);
    expect(prompts[1]).toContain('first\n');
    expect(prompts[1]).toContain('second');
    expect(prompts.at(-3)).toContain('a\n\nb');
    expect(prompts.at(-3)).toContain('late');
    expect(prompts.at(-2)).toContain('mid');
  });

  it('too large, not JSON, not UTF-8, unknown paths and methods: in the shape of this API', async () => {
    const { url } = await serveScripted(() => 'ok');
    const big = `{"max_tokens":5,"messages":[{"role":"user","content":"${'x'.repeat(11 * 1024 * 1024)}"}]}`;
    const large = await post(url, big).then(
      async response => [
        response.status,
        ((await response.json()) as { error: { type: string } }).error.type,
      ],
      // The connection may be closed before all of it is sent.
      () => [413, 'request_too_large'],
    );
    expect(large).toEqual([413, 'request_too_large']);
    const typeOf = async (path: string, init: RequestInit) => {
      const response = await fetch(url + path, init);
      const { type, error } = (await response.json()) as { type: string; error: { type: string } };
      expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
      return [response.status, type, error.type];
    };
    const invalid = [400, 'error', 'invalid_request_error'];
    expect(await typeOf('/v1/messages', { method: 'POST', body: '{"a":' })).toEqual(invalid);
    expect(await typeOf('/messages', { method: 'POST', body: new Uint8Array([0x7b, 0xff]) })).toEqual(
      invalid,
    );
    const missing = [404, 'error', 'not_found_error'];
    expect(await typeOf('/v1/messages/batches', { method: 'POST', body: '{}' })).toEqual(missing);
    expect(await typeOf('/v1/messages', { method: 'GET' })).toEqual(missing);
    const headers = { 'anthropic-version': '2023-06-01' };
    expect(await typeOf('/v1/files', { headers })).toEqual(missing);
  });

  it('9 MB of text: refused as too long without a place in the queue, and counted', async () => {
    const { url, engine } = await serveScripted(() => 'ok');
    const body = JSON.stringify(ask('word '.repeat(1_800_000)));
    const response = await post(url, body);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('prompt is too long'),
    ]);
    const counted = await fetch(`${url}/v1/messages/count_tokens`, { method: 'POST', body });
    expect(((await counted.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(20_000);
    expect(engine.requests).toEqual([]);
  });

  it('gone in mid-stream: the generation ends, and the next request is served', async () => {
    const { url, engine } = await serveScripted(prompt => (question(prompt) === 'on' ? endless() : 'ok'));
    const stop = new AbortController();
    const response = await post(url, ask('on', { stream: true, max_tokens: 10_000 }), {
      signal: stop.signal,
    });
    await response.body?.getReader().read();
    stop.abort();
    await until(() => engine.running === 0);
    expect(await textOf(await post(url, ask('?')))).toBe('ok');
  });

  it('two at once: each gets its own reply; a full queue is 429 with its time', async () => {
    let open = () => {};
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const { url, records } = await serveScripted(
      async function* (prompt) {
        if (question(prompt) === 'wait') await gate;
        yield `to ${question(prompt)}`;
      },
      { places: 2 },
    );
    const stream = async (words: string) => (await post(url, ask(words, { stream: true }))).text();
    const [one, two] = await Promise.all([stream('one'), stream('two')]);
    const said = (text = '') =>
      [...text.matchAll(/"text_delta","text":"(.*?)"/g)].map(([, piece]) => piece).join('');
    expect([said(one), said(two)]).toEqual(['to one', 'to two']);
    const asked = Promise.all(
      Array.from({ length: 6 }, (_, index) => post(url, ask('wait', { metadata: { user_id: `u${index}` } }))),
    );
    await until(() => records.length === 2 + 4);
    open();
    const all = await asked;
    const refused = all.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused[0]?.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  });

  it('a failure in mid-stream is an event of its own, after message_start', async () => {
    const { url } = await serveScripted(async function* () {
      yield 'so far';
      throw new Error('the engine broke');
    });
    const text = await (await post(url, ask('x', { stream: true }))).text();
    const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(names[0]).toBe('message_start');
    expect(names.at(-1)).toBe('error');
    expect(text).toContain('"error":{"type":"api_error"');
    expect(text).not.toContain('the engine broke');
  });

  it('silence is filled with comments before the first event, and with pings after it', async () => {
    const { url } = await serveScripted(
      async function* () {
        await new Promise(resolve => setTimeout(resolve, 100));
        yield 'a';
        await new Promise(resolve => setTimeout(resolve, 100));
        yield 'b';
      },
      { limits: { keepAliveMs: 20 } },
    );
    const text = await (await post(url, ask('x', { stream: true }))).text();
    const [before = '', later = ''] = text.split('event: message_start');
    expect(before).toMatch(/^: /);
    expect(before).not.toContain('event:');
    expect(later.match(/^event: ping\ndata: \{"type":"ping"\}$/gm)?.length).toBeGreaterThan(1);
  });

  it('a connection without HTTP gets the error of the path that it named', async () => {
    const { port } = await serveScripted(() => 'ok');
    const text = await new Promise<string>((resolve, reject) => {
      let said = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('POST /v1/messages HTTP/1.1\r\n: nameless\r\n\r\n'),
      );
      socket.on('data', chunk => {
        said += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(said));
    });
    expect(text).toContain('"type":"error"');
  });
});
