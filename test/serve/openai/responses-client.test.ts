import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { callText, question, type Script, type ServeOptions, serveScripted, until } from '../scripted.ts';

const ADD = {
  type: 'function' as const,
  name: 'add',
  description: 'Adds two numbers',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  strict: false,
};
const model = 'org/scripted';
/** One whose model thinks unless it is told not to. */
const THINKING = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif %}`;

async function clientOf(script: Script, options?: ServeOptions) {
  const server = await serveScripted(script, options);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
  return { ...server, responses: client.responses };
}

const promptOf = (engine: { requests: readonly { promptIds: ArrayLike<number> }[] }) =>
  String.fromCodePoint(...Array.from(engine.requests.at(-1)?.promptIds ?? []));

describe('responses of the official openai client', () => {
  it('a text gets a response with usage; the next turn sends its output back', async () => {
    const { responses, engine } = await clientOf(prompt => `You said: ${question(prompt)}`);
    const first = await responses.create({ model, instructions: 'Be kind.', input: 'Hello' });
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'You said: Hello',
      error: null,
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      usage: { output_tokens: 'You said: Hello'.length, input_tokens_details: { cached_tokens: 0 } },
    });
    expect(promptOf(engine)).toContain('Be kind.');
    const input = [
      { role: 'user' as const, content: 'Hello' },
      ...first.output,
      { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Again' }] },
    ] as OpenAI.Responses.ResponseInputItem[];
    const second = await responses.create({ model, instructions: 'Be kind.', input });
    expect(second.output_text).toBe('You said: Again');
    expect(second.usage?.input_tokens_details.cached_tokens).toBe(first.usage?.total_tokens);
  });

  it('a stream tells each step, as its helper reads them', async () => {
    const { responses } = await clientOf(
      () => `One moment.\n${callText('add', { a: 1, b: 2 })}\n${callText('add', { a: 3, b: 4 })}`,
    );
    const stream = responses.stream({ model, input: '?', tools: [ADD] });
    const types: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      types.push(event.type);
      numbers.push(event.sequence_number);
    }
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(types.slice(0, 4)).toEqual([
      ...['response.created', 'response.in_progress'],
      ...['response.output_item.added', 'response.content_part.added'],
    ]);
    expect(types.filter(type => type === 'response.output_item.done')).toHaveLength(3);
    expect(types.at(-1)).toBe('response.completed');
    const final = await stream.finalResponse();
    expect(final.output_text.trim()).toBe('One moment.');
    expect(final.output).toMatchObject([
      { type: 'message' },
      { type: 'function_call', name: 'add', arguments: '{"a":1,"b":2}' },
      { type: 'function_call', name: 'add', arguments: '{"a":3,"b":4}' },
    ]);
  });

  it('the result of a call goes back to the model, and calls of mcp.json stay here', async () => {
    const tools = new FakeHost({ look_up: answer('blue') });
    const { responses, engine } = await clientOf(
      prompt =>
        prompt.includes('it is 3') ? 'Blue, 3.' : callText('look_up', {}) + callText('add', { a: 1, b: 2 }),
      { turns: { tools }, toolsPolicy: 'all' },
    );
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Both, please' }];
    const { output } = await responses.create({ model, input, tools: [ADD], tool_choice: 'auto' });
    expect(output).toMatchObject([{ type: 'function_call', name: 'add' }]);
    expect(tools.calls).toHaveLength(1);
    const [call] = output as OpenAI.Responses.ResponseFunctionToolCall[];
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
    input.push({ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'it is 3' });
    const next = await responses.create({ model, input, tools: [ADD] });
    expect(next.output_text).toBe('Blue, 3.');
    expect(promptOf(engine).indexOf('blue')).toBeGreaterThan(0);
    expect(promptOf(engine).indexOf('blue')).toBeLessThan(promptOf(engine).indexOf('it is 3'));
  });

  it('a named tool, a schema and log-probabilities', async () => {
    const replies = [' {"a": 1, "b": 2}}\n</tool_call>', '{"colour": "red"}', 'ab'];
    const { responses, engine } = await clientOf(() => replies.shift() ?? '');
    const forced = await responses.create({
      model,
      input: 'Hi',
      tools: [ADD],
      tool_choice: { type: 'function', name: 'add' },
    });
    expect(forced.output).toMatchObject([{ type: 'function_call', arguments: '{"a":1,"b":2}' }]);
    const schema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
    const shaped = await responses.create({
      model,
      input: 'A colour',
      text: { format: { type: 'json_schema', name: 'colour', schema } },
    });
    expect(JSON.parse(shaped.output_text)).toEqual({ colour: 'red' });
    const listed = await responses.create({ model, input: '?', top_logprobs: 1, max_output_tokens: 2 });
    expect(listed).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ content: [{ logprobs: [{ token: 'a', logprob: -0.5 }, { token: 'b' }] }] }],
    });
    expect(engine.requests.at(-1)).toMatchObject({ logprobs: 1, maxTokens: 2 });
  });

  it('log-probabilities of a stream: those of its events have no bytes', async () => {
    const { responses } = await clientOf(() => 'ab');
    const listed: OpenAI.Responses.ResponseTextDeltaEvent.Logprob[] = [];
    const asked = { model, input: '?', top_logprobs: 1, max_output_tokens: 2 };
    const stream = responses.stream(asked);
    stream.on('response.output_text.delta', ({ logprobs }) => listed.push(...logprobs));
    const { output } = await stream.finalResponse();
    expect(listed[0]).toEqual({ token: 'a', logprob: -0.5, top_logprobs: [{ token: 'a', logprob: -0.5 }] });
    expect(output).toMatchObject([
      { content: [{ logprobs: [{ token: 'a', bytes: [97] }, { token: 'b' }] }] },
    ]);
  });

  it('thoughts are items of their own', async () => {
    const { responses } = await clientOf(() => '<think>\nhm\n</think>\n\nYes.', { template: THINKING });
    const whole = await responses.create({ model, input: '?' });
    expect(whole.output).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: expect.stringContaining('hm') }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Yes.' }] },
    ]);
    const stream = responses.stream({ model, input: '?' });
    let thought = '';
    stream.on('event', event => {
      if (event.type === 'response.reasoning_text.delta') thought += event.delta;
    });
    expect((await stream.finalResponse()).output).toMatchObject([{ type: 'reasoning' }, { type: 'message' }]);
    expect(thought).toContain('hm');
  });

  it.each<[object, string]>([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ background: true }, 'background'],
    [{ input: [] }, 'input'],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, 'input[0].type'],
    [{ input: [{ type: 'function_call_output', call_id: 'x', output: 'y' }] }, 'input[0].call_id'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }, 'input[0].content'],
    [{ input: [{ type: 'function_call', call_id: 'x', name: 'f', arguments: '[1]' }] }, 'input[0].arguments'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ input: 'long '.repeat(5000) }, 'input'],
  ])('%j cannot be done: 400 that names the field', async (fields, param) => {
    const { responses, engine } = await clientOf(() => 'x', { contextLength: 1000 });
    const asked = responses.create({ model, input: '?', ...fields });
    await expect(asked).rejects.toMatchObject({ status: 400, param });
    expect(engine.requests).toHaveLength(0);
  });

  it('a failure in mid-stream ends in response.failed; an abort ends the generation', async () => {
    const { responses, engine } = await clientOf(async function* (prompt) {
      yield 'abc';
      if (question(prompt) === 'fail') throw new Error('secret detail');
      for (;;) yield await new Promise<string>(resolve => setTimeout(resolve, 1, 'x'));
    });
    const failing = await responses.create({ model, input: 'fail', stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of failing) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    expect(JSON.stringify(events)).not.toContain('secret');
    const endless = await responses.create({ model, input: 'on', stream: true });
    for await (const event of endless) if (event.type === 'response.output_text.delta') break;
    endless.controller.abort();
    await until(() => engine.running === 0);
  });
});
