import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ReplyRequest } from '../../src/agent/model/chat-model.ts';
import { tool } from '../../src/library/function-host.ts';
import type { ChatEvent } from '../../src/library/reply.ts';
import { STATS } from '../agent/fakes.ts';
import { calls, says, scriptedModel } from './fake-library-model.ts';

const Numbers = z.object({ a: z.number(), b: z.number().default(1) });
const add = tool({ description: 'Adds', parameters: Numbers, run: ({ a, b }) => a + b });

/** Speaks until it is stopped. */
async function* endless({ signal }: ReplyRequest) {
  while (!signal?.aborted) {
    yield { type: 'content' as const, text: 'on ' };
    await new Promise(resolve => setTimeout(resolve, 1));
  }
  return { ...STATS, finishReason: 'cancelled' as const };
}

it('a reply can be awaited, and its events read from the first one on, also afterwards', async () => {
  const { model } = scriptedModel(says('Hello.'));
  const reply = model.chat({ system: 'Be brief.' }).send('Hi');
  expect(await reply).toEqual({
    text: 'Hello.',
    value: undefined,
    calls: [],
    cancelled: false,
    usage: { promptTokens: 10, cachedTokens: 0, generatedTokens: 5 },
  });
  const events: ChatEvent[] = [];
  for await (const event of reply) events.push(event);
  expect(events.map(event => event.type)).toEqual(['token', 'stats', 'assistant']);
});

it('messages are answered in order, each knowing the ones before', async () => {
  const { model, fake } = scriptedModel(says('one'), new Error('broken'), says('three'));
  const chat = model.chat();
  const replies = [chat.send('1'), chat.send('2'), chat.send('3')];
  const ends = await Promise.allSettled(replies.map(async reply => (await reply).text));
  expect(ends).toMatchObject([{ value: 'one' }, { reason: { message: 'broken' } }, { value: 'three' }]);
  expect(fake.requests[2]?.messages.map(message => message.content)).toEqual(['1', 'one', '3']);
  expect(chat.messages.map(message => message.content)).toEqual(['1', 'one', '3', 'three']);
});

it('functions are called with checked arguments, and what they throw is told to the model', async () => {
  const fail = tool({
    description: 'Fails',
    parameters: { type: 'object', properties: {} },
    run: () => {
      throw new Error('no luck');
    },
  });
  const { model, fake } = scriptedModel(
    calls('add', { a: 2 }),
    calls('fail', {}),
    calls('add', { a: 'x' }),
    says('done'),
  );
  const { calls: made, text } = await model.chat({ tools: { add, fail } }).send('go');
  expect(text).toBe('done');
  expect(made).toMatchObject([
    { name: 'add', arguments: { a: 2 }, result: '3' },
    { name: 'fail', error: 'no luck' },
    { name: 'add', error: expect.stringContaining('$.a: expected number') },
  ]);
  expect(JSON.stringify(fake.requests[3]?.messages.at(-1))).toContain('number');
});

it('a function that takes too long is given up, and told so', async () => {
  let stopped = false;
  const wait = tool({
    description: 'Waits',
    parameters: { type: 'object', properties: {} },
    run: (_args, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          stopped = true;
        });
      }),
  });
  const { model } = scriptedModel(calls('wait', {}), says('It takes too long.'));
  const reply = await model.chat({ tools: { wait }, toolTimeoutMs: 20 }).send('go');
  expect(reply.calls).toMatchObject([{ name: 'wait', error: "Tool 'wait' timed out after 0.0s" }]);
  expect(stopped).toBe(true);
});

it('a schema that JSON Schema cannot say is refused with its reason', () => {
  const refusal = {
    name: 'LlmHostError',
    code: 'USAGE',
    message: 'The schema cannot be written as JSON Schema: Date cannot be represented in JSON Schema',
  };
  const schema = z.object({ at: z.date() });
  const { model } = scriptedModel();
  expect(() => tool({ description: 'Waits', parameters: schema, run: () => 1 })).toThrow(
    expect.objectContaining(refusal),
  );
  expect(() => model.chat().send('when?', { schema })).toThrow(expect.objectContaining(refusal));
});

it('the time limit of a call holds where nothing else keeps the process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter(one => one === 'Timeout').length;
  let during = 0;
  const never = tool({
    description: 'Never ends',
    parameters: { type: 'object' },
    run: () => {
      during = timers();
      return new Promise(() => undefined);
    },
  });
  const { model } = scriptedModel(calls('never', {}), says('done'));
  const before = timers();
  const { calls: made } = await model.chat({ tools: { never }, toolTimeoutMs: 20 }).send('go');
  expect(made).toMatchObject([{ error: "Tool 'never' timed out after 0.0s" }]);
  expect(during).toBeGreaterThan(before);
});

it.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40])(
  'a limit of %s ms lets a call end',
  async toolTimeoutMs => {
    const later = tool({
      description: 'Waits',
      parameters: { type: 'object' },
      run: () => new Promise(resolve => setTimeout(resolve, 20, 'there')),
    });
    const { model } = scriptedModel(calls('later', {}), says('done'));
    const { calls: made } = await model.chat({ tools: { later }, toolTimeoutMs }).send('go');
    expect(made).toMatchObject([{ result: 'there' }]);
  },
);

it.each([0, -1, Number.NaN, '90'])('a limit of %s ms is refused', toolTimeoutMs => {
  const { model } = scriptedModel();
  expect(() => model.chat({ toolTimeoutMs: toolTimeoutMs as number })).toThrow(
    `toolTimeoutMs must be a number above 0, got ${toolTimeoutMs}`,
  );
});

it('a signal, cancel, and leaving the loop end a reply; what was said stays', async () => {
  const { model } = scriptedModel(endless, endless, endless, says('next'));
  const chat = model.chat();
  const stop = new AbortController();
  const first = chat.send('1', { signal: stop.signal });
  setTimeout(() => stop.abort(), 20);
  expect(await first).toMatchObject({ cancelled: true, text: expect.stringContaining('on') });
  const second = chat.send('2');
  setTimeout(() => second.cancel(), 20);
  expect((await second).cancelled).toBe(true);
  const third = chat.send('3');
  for await (const event of third) if (event.type === 'token') break;
  expect((await third).cancelled).toBe(true);
  expect((await chat.send('4')).text).toBe('next');
  expect(chat.messages).toHaveLength(8);
});

it('an error is thrown where the events are read, and where the whole is awaited', async () => {
  const { model } = scriptedModel(new Error('engine down'));
  const reply = model.chat().send('Hi');
  const read = async () => {
    for await (const _ of reply);
  };
  await expect(read()).rejects.toThrow('engine down');
  await expect(reply.then(result => result)).rejects.toThrow('engine down');
});

it('a schema types and reads the reply', async () => {
  const City = z.object({ name: z.string(), visited: z.string().transform(text => new Date(text)) });
  const { model } = scriptedModel(
    says('{"name": "Paris", "visited": "2026-01-02"}'),
    says('no'),
    says('{}'),
    says('1'),
  );
  const chat = model.chat();
  const { value } = await chat.send('Where?', { schema: z.object({ name: z.string() }) });
  expect(value.name).toBe('Paris');
  // A transformation has no JSON Schema of its output, only of its input.
  await expect(chat.send('Where?', { schema: City }).then(result => result)).rejects.toThrow(
    'The model did not write the requested JSON',
  );
  expect(chat.messages).toHaveLength(2);
});

it('a reply by a schema that its length cuts off is an error with a code', async () => {
  const { model } = scriptedModel(async function* () {
    yield* says('{"name": "Pa');
    return { ...STATS, finishReason: 'length' } as const;
  });
  const reply = model.chat({ maxTokens: 5 }).send('Where?', { schema: z.object({ name: z.string() }) });
  await expect(reply.then(result => result)).rejects.toMatchObject({
    code: 'RESPONSE_FORMAT',
    message: 'The reply ended before its JSON was complete',
  });
});

it('a conversation is kept as JSON and goes on elsewhere', async () => {
  const { model, fake } = scriptedModel(says('one'), says('two'));
  const first = model.chat({ system: 'S' });
  await first.send('1');
  const kept = JSON.parse(JSON.stringify(first.messages));
  await model.chat({ messages: kept }).send('2');
  expect(fake.requests[1]?.messages.map(message => message.content)).toEqual(['S', '1', 'one', '2']);
});

it('undo and clear, but not while a reply is under way', async () => {
  const { model } = scriptedModel(says('one'), endless);
  const chat = model.chat({ system: 'S' });
  await chat.send('1');
  expect(chat.undo()).toBe(true);
  expect(chat.undo()).toBe(false);
  const reply = chat.send('2');
  expect(() => chat.clear()).toThrow('already running');
  expect(() => chat.undo()).toThrow('already running');
  reply.cancel();
  await reply;
  chat.clear();
  expect(chat.messages).toEqual([{ role: 'system', content: 'S' }]);
});

it('closing a model ends its chats; both may be closed twice, and say so when used', async () => {
  const { model, state } = scriptedModel(endless);
  const chat = model.chat();
  const reply = chat.send('1');
  const waiting = chat.send('2');
  await new Promise(resolve => setTimeout(resolve, 10));
  await Promise.all([model.close(), model.close(), chat.close()]);
  expect((await reply).cancelled).toBe(true);
  await expect(waiting.then(result => result)).rejects.toThrow('The chat is closed');
  await expect(chat.send('3').then(result => result)).rejects.toThrow('The chat is closed');
  expect(() => model.chat()).toThrow('The model scripted is closed');
  expect(() => model.complete('x')).toThrow('The model scripted is closed');
  expect(state.closed).toBe(1);
});

it.each([
  ['temperature', { temperature: -1 }, 'temperature must be'],
  ['a name', { tools: { 'two words': add } }, "'two words' cannot be the name of a tool"],
  [
    'parameters',
    { tools: { x: tool({ description: '', parameters: { type: 'string' }, run: () => '' }) } },
    'must be the schema of an object',
  ],
])('%s that cannot be is refused before anything runs', (_, options, message) => {
  expect(() => scriptedModel().model.chat(options)).toThrow(message);
});

it('a schema that cannot write itself as JSON Schema is refused by its name', () => {
  const old = {
    '~standard': { version: 1 as const, vendor: 'old', validate: (value: unknown) => ({ value }) },
  };
  expect(() => tool({ description: '', parameters: old, run: () => '' })).toThrow(
    'This version of old cannot write its schemas as JSON Schema',
  );
});

it('long results are read on in later replies, by a schema or not', async () => {
  const long = tool({
    description: 'Reads a file',
    parameters: { type: 'object', properties: {} },
    run: () => `${'a line of a long file\n'.repeat(20_000)}the end`,
  });
  const reading = async function* ({ messages }: ReplyRequest) {
    const [, reference = ''] = /"result": "(\w+)"/.exec(JSON.stringify(messages).replaceAll('\\', '')) ?? [];
    yield* calls('read_result', { result: reference, search: 'the end' });
    return STATS;
  };
  const schema = z.object({ end: z.string() });
  const { model } = scriptedModel(
    ...[calls('long', {}), says('It is long.'), reading, says('{"end": "the end"}')],
    ...[calls('long', {}), says('{"end": "?"}'), reading, says('There.')],
  );
  const chat = model.chat({ tools: { long } });
  await chat.send('Read it.');
  const asJson = await chat.send('How does it end?', { schema });
  expect(asJson.calls).toMatchObject([{ name: 'read_result', result: expect.stringContaining('the end') }]);
  chat.clear();
  await chat.send('Read it.', { schema });
  const plain = await chat.send('How does it end?');
  expect(plain.calls).toMatchObject([{ name: 'read_result', result: expect.stringContaining('the end') }]);
  expect(JSON.stringify(chat.messages)).toContain('reads on');
  // Another chat has not got the whole text.
  const later = model.chat({ tools: { long }, messages: chat.messages });
  expect(JSON.stringify(later.messages)).not.toContain('reads on');
});
