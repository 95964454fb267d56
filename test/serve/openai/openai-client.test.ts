import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { endless } from '../asking.ts';
import { callText, question, type Script, type ServeOptions, serveScripted, until } from '../scripted.ts';

const ADD = {
  type: 'function' as const,
  function: {
    name: 'add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object' as const,
      properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
      required: ['a', 'b'],
    },
  },
};

async function clientOf(script: Script, options?: ServeOptions & { apiKey?: string }) {
  const server = await serveScripted(script, options);
  const client = new OpenAI({
    baseURL: `${server.url}/v1`,
    apiKey: options?.apiKey ?? 'none',
    maxRetries: 0,
  });
  return { ...server, client };
}

const ask = (content: string) => [{ role: 'user', content } as const];
const model = 'org/scripted';

describe('the official openai client', () => {
  it('lists and retrieves models', async () => {
    const { client } = await clientOf(() => '');
    const { data } = await client.models.list();
    expect(data).toMatchObject([{ id: model, object: 'model', owned_by: 'llm-host' }]);
    expect(await client.models.retrieve('scripted')).toMatchObject({ id: model });
    await expect(client.models.retrieve('other')).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('gets a reply with usage, and cached tokens in the next turn', async () => {
    const { client } = await clientOf(prompt => `You said: ${question(prompt)}`);
    const messages: OpenAI.ChatCompletionMessageParam[] = ask('Hello');
    const first = await client.chat.completions.create({ model, messages });
    expect(first.choices).toMatchObject([
      { message: { role: 'assistant', content: 'You said: Hello' }, finish_reason: 'stop', logprobs: null },
    ]);
    expect(first.usage?.completion_tokens).toBe('You said: Hello'.length);
    messages.push(first.choices[0]?.message as OpenAI.ChatCompletionMessage, ...ask('Again'));
    const second = await client.chat.completions.create({ model, messages });
    const { prompt_tokens: prompt = 0, prompt_tokens_details: details } = second.usage ?? {};
    expect(second.usage?.total_tokens).toBe(prompt + 'You said: Again'.length);
    expect(details?.cached_tokens).toBe(first.usage?.total_tokens ?? 0);
  });

  it('streams, with the usage in the last chunk', async () => {
    const { client } = await clientOf(() => 'one two three');
    const stream = await client.chat.completions.create({
      model,
      messages: ask('count'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    const finishes: unknown[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices[0]) finishes.push(chunk.choices[0].finish_reason);
      usage = chunk.usage;
    }
    expect(text).toBe('one two three');
    expect(finishes.at(-1)).toBe('stop');
    expect(usage).toMatchObject({ completion_tokens: 13 });
  });

  it('runs its own tools, as its helper does', async () => {
    const { client } = await clientOf(prompt =>
      prompt.includes('<tool_response>') || prompt.includes('role: 42') || prompt.includes('\n42')
        ? 'It is 42.'
        : `Let me see.\n${callText('add', { a: '17', b: 25 })}`,
    );
    const runner = client.chat.completions.runTools({
      model,
      messages: ask('17 + 25?'),
      tools: [
        {
          type: 'function',
          function: {
            ...ADD.function,
            function: (text: string) => {
              const { a, b } = JSON.parse(text) as { a: number; b: number };
              return String(a + b);
            },
          },
        },
      ],
    });
    const calls: unknown[] = [];
    runner.on('functionToolCall', call => calls.push(call));
    expect(await runner.finalContent()).toBe('It is 42.');
    // The string became the number that the schema asks for.
    expect(calls).toEqual(
      [{ name: 'add', arguments: '{"a":17,"b":25}', parsed_arguments: null }].map(
        ({ name, arguments: args }) => expect.objectContaining({ name, arguments: args }),
      ),
    );
  });

  it('streams the calls of its tools', async () => {
    const { client } = await clientOf(
      () => `${callText('add', { a: 1, b: 2 })}\n${callText('add', { a: 3, b: 4 })}`,
    );
    const stream = client.chat.completions.stream({ model, messages: ask('?'), tools: [ADD] });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(calls).toMatchObject([
      { type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
      { type: 'function', function: { name: 'add', arguments: '{"a":3,"b":4}' } },
    ]);
    expect(new Set(calls.map(call => call.id)).size).toBe(2);
  });

  it('parallel_tool_calls: false ends the reply behind its first call', async () => {
    const two = `${callText('add', { a: 1, b: 2 })}\n${callText('add', { a: 3, b: 4 })}`;
    const { client, engine } = await clientOf(() => two);
    const asked = { model, messages: ask('?'), tools: [ADD] };
    const { choices } = await client.chat.completions.create({ ...asked, parallel_tool_calls: false });
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"a":1,"b":2}' } }]);
    expect(engine.steps).toBeLessThan(two.length - 20);
    const tool = { type: 'function' as const, strict: false, ...ADD.function };
    const { output } = await client.responses.create({
      model,
      input: '?',
      tools: [tool],
      parallel_tool_calls: false,
    });
    expect(output.filter(({ type }) => type === 'function_call')).toHaveLength(1);
    const both = await client.chat.completions.create({ ...asked, parallel_tool_calls: true });
    expect(both.choices[0]?.message.tool_calls).toHaveLength(2);
  });

  it('uses the tools of mcp.json without knowing of them', async () => {
    const tools = new FakeHost({ look_up: answer('blue') });
    const { client, engine } = await clientOf(
      prompt => (prompt.includes('blue') ? 'The sky is blue.' : `I look.\n${callText('look_up', {})}`),
      { turns: { tools } },
    );
    const messages: OpenAI.ChatCompletionMessageParam[] = ask('What colour is the sky?');
    const { choices, usage } = await client.chat.completions.create({ model, messages });
    expect(choices[0]?.message.content).toBe('I look.\nThe sky is blue.');
    expect(choices[0]?.finish_reason).toBe('stop');
    expect(tools.calls).toEqual([{ name: 'look_up', args: {} }]);
    // The next turn knows of the call that the client never saw, and its prompt begins with the same tokens.
    messages.push(choices[0]?.message as OpenAI.ChatCompletionMessage, ...ask('Sure?'));
    const next = await client.chat.completions.create({ model, messages });
    const last = String.fromCodePoint(...Array.from(engine.requests.at(-1)?.promptIds ?? []));
    expect(last).toContain('look_up');
    expect(last).toContain('blue');
    const before = engine.requests[1]?.promptIds.length ?? 0;
    expect(next.usage?.prompt_tokens_details?.cached_tokens).toBe(before + 'The sky is blue.'.length);
    expect(usage?.prompt_tokens).toBeGreaterThan(before);
  });

  it('mixed turns: ours run here, the client gets its own, and the model remembers both', async () => {
    const tools = new FakeHost({ look_up: answer('blue') });
    const { client, engine } = await clientOf(
      prompt =>
        prompt.includes('it is 3')
          ? 'Blue, and 3.'
          : callText('look_up', {}) + callText('add', { a: 1, b: 2 }),
      { turns: { tools }, toolsPolicy: 'all' },
    );
    const messages: OpenAI.ChatCompletionMessageParam[] = ask('Both, please');
    const { choices } = await client.chat.completions.create({ model, messages, tools: [ADD] });
    const message = choices[0]?.message as OpenAI.ChatCompletionMessage;
    expect(message.tool_calls).toMatchObject([{ function: { name: 'add' } }]);
    expect(message.content).toBeNull();
    expect(tools.calls).toHaveLength(1);
    const id = message.tool_calls?.[0]?.id ?? '';
    messages.push(message, { role: 'tool', tool_call_id: id, content: 'it is 3' });
    const next = await client.chat.completions.create({ model, messages, tools: [ADD] });
    expect(next.choices[0]?.message.content).toBe('Blue, and 3.');
    const last = String.fromCodePoint(...Array.from(engine.requests.at(-1)?.promptIds ?? []));
    expect(last.indexOf('blue')).toBeGreaterThan(0);
    expect(last.indexOf('blue')).toBeLessThan(last.indexOf('it is 3'));
  });

  it.each([
    ['required', '<tool_call>\n{"name": "add", "arguments":'],
    [{ type: 'function', function: { name: 'add' } }, '<tool_call>\n{"name": "add", "arguments":'],
  ] as const)('tool_choice %j makes the reply a call', async (tool_choice, forced) => {
    const { client, engine } = await clientOf(() => ' {"a": 1, "b": 2}}\n</tool_call>');
    const { choices } = await client.chat.completions.create({
      model,
      messages: ask('Hi'),
      tools: [ADD],
      tool_choice,
    });
    expect(String.fromCodePoint(...Array.from(engine.requests[0]?.promptIds ?? []))).toMatch(
      new RegExp(`${forced.replace(/[{}]/g, '\\$&')}$`),
    );
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'add' } }]);
  });

  it('tool_choice none offers no tool at all', async () => {
    const { client, engine } = await clientOf(() => 'No tools.', {
      turns: { tools: new FakeHost({ look_up: answer('x') }) },
    });
    await client.chat.completions.create({ model, messages: ask('Hi'), tools: [ADD], tool_choice: 'none' });
    const prompt = String.fromCodePoint(...Array.from(engine.requests[0]?.promptIds ?? []));
    expect(prompt).not.toMatch(/add|look_up/);
  });

  it('gets JSON that fits its schema, after attempts that did not', async () => {
    const replies = ['Sure! {"colour": 3}', '{"colour": 3}', '```json\n{"colour": "red"}\n```'];
    const { client, engine } = await clientOf(() => replies.shift() ?? '');
    const schema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
    const { choices } = await client.chat.completions.create({
      model,
      messages: ask('A colour'),
      response_format: { type: 'json_schema', json_schema: { name: 'colour', schema, strict: true } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ colour: 'red' });
    expect(engine.requests).toHaveLength(3);
  });

  it('is told when the model never writes the JSON', async () => {
    const { client } = await clientOf(() => 'never');
    const failing = client.chat.completions.create({
      model,
      messages: ask('A colour'),
      response_format: { type: 'json_object' },
    });
    await expect(failing).rejects.toThrow(/did not write the requested JSON/);
  });

  it('gets log-probabilities, stop, seed and penalties', async () => {
    const { client, engine } = await clientOf(() => 'abcSTOPdef');
    const { choices } = await client.chat.completions.create({
      model,
      messages: ask('?'),
      logprobs: true,
      top_logprobs: 1,
      stop: 'STOP',
      seed: -3,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      logit_bias: { 5: -1 },
      max_completion_tokens: 50,
    });
    expect(choices[0]?.message.content).toBe('abc');
    expect(choices[0]?.logprobs?.content?.slice(0, 3).map(one => one.token)).toEqual(['a', 'b', 'c']);
    expect(choices[0]?.logprobs?.content?.[0]).toEqual({
      token: 'a',
      logprob: -0.5,
      bytes: [97],
      top_logprobs: [{ token: 'a', logprob: -0.5, bytes: [97] }],
    });
    expect(engine.requests[0]).toMatchObject({
      logprobs: 1,
      seed: 2 ** 32 - 3,
      maxTokens: 50,
      logitBias: { 5: -1 },
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
    });
  });

  it('abort ends the generation within one step', async () => {
    const { client, engine, records } = await clientOf(endless);
    const stream = await client.chat.completions.create({ model, messages: ask('?'), stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
    await until(() => engine.running === 0);
    await until(() => records.length === 1);
    expect(records[0]).toMatchObject({ aborted: true });
    const steps = engine.steps;
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(engine.steps).toBe(steps);
  });

  it('a wrong model, a wrong key, a wrong field and a context that is too long are its own errors', async () => {
    const { url, client } = await clientOf(() => 'x', {
      contextLength: 500,
      apiKey: 'right',
      access: { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], apiKey: 'right' },
    });
    const create = (fields: object) =>
      client.chat.completions.create({ model, messages: ask('?'), ...fields });
    await expect(create({ model: 'gpt-4o' })).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(create({ temperature: 9 })).rejects.toMatchObject({ status: 400, param: 'temperature' });
    await expect(create({ messages: [] })).rejects.toThrow(OpenAI.BadRequestError);
    await expect(create({ messages: ask('long '.repeat(200)) })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    });
    const wrong = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    await expect(wrong.models.list()).rejects.toThrow(OpenAI.AuthenticationError);
  });
});
