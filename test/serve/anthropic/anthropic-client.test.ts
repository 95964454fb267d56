import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { endless } from '../asking.ts';
import { callText, question, type Script, type ServeOptions, serveScripted, until } from '../scripted.ts';

const ADD: Anthropic.Tool = {
  name: 'add',
  description: 'Adds two numbers',
  input_schema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};
const model = 'org/scripted';
const ask = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }];
/** What every request here has. */
const base = { model, max_tokens: 100 };
/** One whose model thinks unless it is told not to. */
const THINKING = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif %}`;

async function clientOf(script: Script, options?: ServeOptions & { key?: string }) {
  const { key = 'none', ...rest } = options ?? {};
  const server = await serveScripted(script, rest);
  const client = new Anthropic({ baseURL: server.url, apiKey: key, maxRetries: 0 });
  return { ...server, client };
}

const promptOf = (engine: { requests: readonly { promptIds: ArrayLike<number> }[] }) =>
  String.fromCodePoint(...Array.from(engine.requests.at(-1)?.promptIds ?? []));

describe('the official client of Anthropic', () => {
  it('gets a message with usage, and cached tokens in the next turn', async () => {
    const { client, engine } = await clientOf(prompt => `You said: ${question(prompt)}`);
    const system: Anthropic.TextBlockParam[] = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=f3a2b' },
      { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
    ];
    const messages = ask('Hello');
    const first = await client.messages.create({ ...base, messages, system });
    expect(first).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      stop_sequence: null,
      content: [{ type: 'text', text: 'You said: Hello' }],
      usage: { cache_read_input_tokens: 0, output_tokens: 'You said: Hello'.length },
    });
    expect(first.id).toMatch(/^msg_/);
    expect(promptOf(engine)).toContain('Be kind.');
    expect(promptOf(engine)).not.toMatch(/Be brief|billing/);
    expect(first.usage.input_tokens).toBe(promptOf(engine).length);
    messages.push({ role: 'assistant', content: first.content }, ...ask('Again'));
    const second = await client.messages.create({ ...base, messages, system: 'Be kind.' });
    const { input_tokens: fresh, cache_read_input_tokens: cached } = second.usage;
    expect(cached).toBe(first.usage.input_tokens + first.usage.output_tokens);
    expect(fresh + (cached ?? 0)).toBe(promptOf(engine).length);
  });

  it('streams each step, as its helper reads them', async () => {
    const { client, url } = await clientOf(
      () => `One moment.\n${callText('add', { a: 1, b: 2 })}\n${callText('add', { a: 3, b: 4 })}`,
    );
    const sent = { ...base, max_tokens: 1000, messages: ask('?'), tools: [ADD] };
    const stream = client.messages.stream(sent);
    const events: string[] = [];
    stream.on('streamEvent', event => events.push(event.type));
    const final = await stream.finalMessage();
    expect(final).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: expect.stringMatching(/^One moment\.\s*$/) },
        { type: 'tool_use', name: 'add', input: { a: 1, b: 2 } },
        { type: 'tool_use', name: 'add', input: { a: 3, b: 4 } },
      ],
    });
    expect(events.filter((type, index) => type !== events[index - 1])).toEqual([
      'message_start',
      ...Array.from({ length: 3 }, () => [
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
      ]).flat(),
      ...['message_delta', 'message_stop'],
    ]);
    const raw = await fetch(`${url}/messages`, {
      method: 'POST',
      body: JSON.stringify({ ...sent, stream: true }),
    });
    const text = await raw.text();
    const named = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name, data]) => [
      name,
      (JSON.parse(data as string) as { type: string }).type,
    ]);
    expect(named.every(([name, type]) => name === type)).toBe(true);
    expect(named.slice(0, 2).map(([name]) => name)).toEqual(['message_start', 'ping']);
    const started = /"usage":\{"input_tokens":(\d+)/.exec(text)?.[1];
    const all = final.usage.input_tokens + (final.usage.cache_read_input_tokens ?? 0);
    expect(Number(started)).toBeGreaterThan(0);
    expect(Number(started)).toBeLessThanOrEqual(all);
  });

  it('disable_parallel_tool_use: one call, whatever the model writes', async () => {
    const { client } = await clientOf(
      () => callText('add', { a: 1, b: 2 }) + callText('add', { a: 3, b: 4 }),
    );
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true } as const;
    const asked = { ...base, max_tokens: 1000, messages: ask('?'), tools: [ADD] };
    const { content, stop_reason } = await client.messages.create({ ...asked, tool_choice });
    expect(stop_reason).toBe('tool_use');
    expect(content).toMatchObject([{ type: 'tool_use', input: { a: 1, b: 2 } }]);
  });

  it('thinking is blocks of its own; it can be turned off, and is sent back', async () => {
    const { client, engine } = await clientOf(
      prompt => (prompt.endsWith('</think>\n\n') ? 'Four.' : '<think>\ntwo and two\n</think>\n\nFour.'),
      { template: THINKING },
    );
    const messages = ask('2 + 2?');
    const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
    const stream = client.messages.stream({ ...base, max_tokens: 2000, messages, thinking });
    const deltas: string[] = [];
    stream.on('streamEvent', event => {
      if (event.type === 'content_block_delta') deltas.push(event.delta.type);
    });
    const { content } = await stream.finalMessage();
    expect(content).toMatchObject([
      {
        type: 'thinking',
        thinking: expect.stringContaining('two and two'),
        signature: expect.stringMatching(/./),
      },
      { type: 'text', text: 'Four.' },
    ]);
    expect(deltas.filter((type, index) => type !== deltas[index - 1])).toEqual([
      ...['thinking_delta', 'signature_delta', 'text_delta'],
    ]);
    messages.push({ role: 'assistant', content }, ...ask('Sure?'));
    const off = { ...base, messages, thinking: { type: 'disabled' } } as const;
    expect((await client.messages.create(off)).content).toMatchObject([{ type: 'text', text: 'Four.' }]);
    expect(promptOf(engine)).toContain('Sure?');
    const small = { ...base, max_tokens: 1024, messages: ask('?'), thinking };
    await expect(client.messages.create(small)).rejects.toThrow(/max_tokens must be greater than thinking/);
  });

  it('a round trip of its tools, with a result and with an error', async () => {
    const { client, engine } = await clientOf(prompt =>
      prompt.includes('42')
        ? 'It is 42.'
        : prompt.includes('no numbers')
          ? 'I cannot.'
          : callText('add', { a: '17', b: 25 }),
    );
    const messages = ask('17 + 25?');
    const first = await client.messages.create({ ...base, messages, tools: [ADD] });
    const [use] = first.content;
    if (use?.type !== 'tool_use') throw new Error('no call');
    // The string became the number that the schema asks for.
    expect(use.input).toEqual({ a: 17, b: 25 });
    messages.push({ role: 'assistant', content: first.content });
    const result = (content: Anthropic.ToolResultBlockParam['content'], is_error = false) =>
      ({ type: 'tool_result', tool_use_id: use.id, content, is_error }) as const;
    const send = (block: Anthropic.ToolResultBlockParam) =>
      client.messages.create({
        ...base,
        tools: [ADD],
        messages: [...messages, { role: 'user', content: [block, { type: 'text', text: 'Well?' }] }],
      });
    const well = await send(result([{ type: 'text', text: '42' }]));
    expect(well.content).toMatchObject([{ type: 'text', text: 'It is 42.' }]);
    const prompt = promptOf(engine);
    expect(prompt.indexOf('Well?')).toBeGreaterThan(prompt.indexOf('42'));
    expect((await send(result('no numbers', true))).content).toMatchObject([{ text: 'I cannot.' }]);
    expect(promptOf(engine)).toContain('Error: no numbers');
  });

  it.each([
    [{ type: 'any' }, true],
    [{ type: 'tool', name: 'add' }, true],
    [{ type: 'auto' }, false],
    [{ type: 'none' }, undefined],
  ] as const)('tool_choice %j', async (tool_choice, forced) => {
    const { client, engine } = await clientOf(prompt =>
      prompt.endsWith('"arguments":') ? ' {"a": 1, "b": 2}}\n</tool_call>' : 'No call.',
    );
    const { content } = await client.messages.create({
      ...base,
      messages: ask('Hi'),
      tools: [ADD],
      tool_choice,
    });
    expect(content).toMatchObject([forced ? { type: 'tool_use', name: 'add' } : { text: 'No call.' }]);
    expect(promptOf(engine).includes('Adds two')).toBe(forced !== undefined);
  });

  it('tools of mcp.json run here, and its own join them only if asked', async () => {
    const tools = new FakeHost({ look_up: answer('blue') });
    const { client, engine } = await clientOf(
      prompt =>
        prompt.includes('blue') ? 'Blue.' : prompt.includes('look_up') ? callText('look_up', {}) : 'No idea.',
      { turns: { tools } },
    );
    const create = (more: object, headers = {}) =>
      client.messages.create({ ...base, messages: ask('The sky?'), ...more }, { headers });
    expect((await create({})).content).toMatchObject([{ text: 'Blue.' }]);
    expect((await create({ tools: [ADD] })).content).toMatchObject([{ text: 'No idea.' }]);
    expect(promptOf(engine)).not.toContain('look_up');
    const both = await create({ tools: [ADD] }, { 'x-llm-host-tools': 'all' });
    expect(both.content).toMatchObject([{ text: 'Blue.' }]);
  });

  it('max_tokens, a stop sequence, sampling and a schema', async () => {
    const { client, engine } = await clientOf(prompt =>
      prompt.includes('colour') ? '{"colour": "red"}' : 'abcSTOPdef',
    );
    const sampling = { temperature: 0.5, top_p: 0.9, top_k: 7 };
    const sent = { ...base, messages: ask('?'), ...sampling };
    expect(await client.messages.create({ ...sent, stop_sequences: ['no', 'STOP'] })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'STOP',
      content: [{ text: 'abc' }],
    });
    expect(engine.requests[0]).toMatchObject({ temperature: 0.5, topP: 0.9, topK: 7, maxTokens: 100 });
    const stream = client.messages.stream({ ...sent, stop_sequences: ['STOP'] });
    expect(await stream.finalMessage()).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'STOP',
    });
    expect(await client.messages.create({ ...sent, max_tokens: 2 })).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ text: 'ab' }],
    });
    const schema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
    const output_config = { format: { type: 'json_schema', schema } } as const;
    const { content } = await client.messages.create({ ...base, messages: ask('A colour'), output_config });
    expect(JSON.parse((content[0] as Anthropic.TextBlock).text)).toEqual({ colour: 'red' });
  });

  it('counts the tokens that the request then has', async () => {
    const { client, engine } = await clientOf(() => 'ok');
    const asked = { model, messages: ask('How long?'), system: 'Be kind.', tools: [ADD] };
    const { input_tokens: counted } = await client.messages.countTokens(asked);
    expect(engine.requests).toEqual([]);
    const { usage } = await client.messages.create({ ...asked, max_tokens: 5 });
    expect(counted).toBe(usage.input_tokens);
  });

  it('lists and retrieves models', async () => {
    const { client } = await clientOf(() => '');
    const { data, has_more: more } = await client.models.list();
    expect([more, data]).toMatchObject([
      false,
      [{ type: 'model', id: model, created_at: '2023-11-14T22:13:20.000Z' }],
    ]);
    expect(await client.models.retrieve('scripted')).toMatchObject({ id: model });
    await expect(client.models.retrieve('other')).rejects.toThrow(Anthropic.NotFoundError);
  });

  it('abort ends the generation within one step', async () => {
    const { client, engine, records } = await clientOf(endless);
    const stream = client.messages.stream({ ...base, max_tokens: 10_000, messages: ask('?') });
    for await (const event of stream) if (event.type === 'content_block_delta') break;
    stream.abort();
    await until(() => engine.running === 0 && records.length === 1);
    expect(records[0]).toMatchObject({ aborted: true });
  });

  it('what goes wrong is its own errors, with their types', async () => {
    const { client, url } = await clientOf(() => 'x', {
      contextLength: 500,
      key: 'right',
      access: { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], apiKey: 'right' },
    });
    const create = (fields: object) => client.messages.create({ ...base, messages: ask('?'), ...fields });
    const failure = (status: number, type: string, words: string | RegExp) => ({
      status,
      message: expect.stringMatching(words),
      error: {
        type: 'error',
        request_id: expect.stringMatching(/-/),
        error: { type, message: expect.stringMatching(words) },
      },
    });
    await expect(create({ model: 'claude-opus-4-6' })).rejects.toMatchObject(
      failure(404, 'not_found_error', 'claude'),
    );
    await expect(create({ temperature: 9 })).rejects.toMatchObject(
      failure(400, 'invalid_request_error', 'temperature'),
    );
    await expect(create({ messages: ask('long '.repeat(200)) })).rejects.toMatchObject(
      failure(400, 'invalid_request_error', /^(400 .*)?prompt is too long/),
    );
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    await expect(create({ messages: [{ role: 'user', content: [image] }] })).rejects.toMatchObject(
      failure(400, 'invalid_request_error', /messages\[0\]\.content\[0\]: images cannot be read/),
    );
    const wrong = new Anthropic({ baseURL: url, apiKey: 'wrong', maxRetries: 0 });
    await expect(wrong.messages.create({ ...base, messages: ask('?') })).rejects.toThrow(
      Anthropic.AuthenticationError,
    );
    const bearer = new Anthropic({ baseURL: url, apiKey: null, authToken: 'right', maxRetries: 0 });
    expect((await bearer.messages.create({ ...base, messages: ask('?') })).content).toMatchObject([
      { text: 'x' },
    ]);
  });
});
