import { describe, expect, test, vi } from 'vitest';
import { Conversation } from '../../src/agent/turn/conversation.ts';
import { createHistory } from '../../src/chat/history.ts';
import { LlmHostError } from '../../src/errors.ts';
import type { ToolHost } from '../../src/mcp/tool-host.ts';
import { answer, call, collect, content, FakeHost, FakeModel, STATS, type Step } from './fakes.ts';

function setUp(steps: Step[], tools: ToolHost = new FakeHost({}), extra: { maxResultChars?: number } = {}) {
  const model = new FakeModel(steps);
  const history = createHistory('SYS');
  const agent = new Conversation({ model, tools, history, sampling: {}, toolTimeoutMs: 1000, ...extra });
  return { model, history, agent };
}

const types = (events: { type: string }[]) =>
  events.map(event => event.type).filter(type => type !== 'stats');

describe('a turn', () => {
  test('without a call is the reply', async () => {
    const { agent, history } = setUp([[content('Hel'), content('lo')]]);
    const events = await collect(agent.turn('hi'));
    expect(types(events)).toEqual(['token', 'token', 'assistant']);
    expect(events.at(-1)).toEqual({ type: 'assistant', text: 'Hello', cancelled: false });
    expect(history.messages).toEqual([
      { role: 'system', content: 'SYS' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello' },
    ]);
  });

  test('begins with what has become of the model', async () => {
    const { agent, model } = setUp([[content('Hello')]]);
    Object.assign(model, { takeNotices: () => ['a machine is gone'] });
    const events = await collect(agent.turn('hi'));
    expect(types(events)).toEqual(['notice', 'token', 'assistant']);
    expect(events[0]).toEqual({ type: 'notice', message: 'a machine is gone' });
  });

  test('runs calls until the model answers, and the model sees each result', async () => {
    const host = new FakeHost({ add: answer('42') });
    const { agent, model } = setUp([[call('add', { a: 17, b: 25 })], [content('It is 42.')]], host);
    const events = await collect(agent.turn('17 + 25?'));
    expect(types(events)).toEqual(['tool_call', 'tool_result', 'token', 'assistant']);
    expect(host.calls).toEqual([{ name: 'add', args: { a: 17, b: 25 } }]);
    const seen = model.requests[1]?.messages ?? [];
    expect(seen.at(-2)).toMatchObject({ role: 'assistant', tool_calls: [{ function: { name: 'add' } }] });
    expect(seen.at(-1)).toMatchObject({ role: 'tool', name: 'add', content: '42' });
  });

  test("a tool's error goes to the model and the turn goes on", async () => {
    const host = new FakeHost({ divide: answer('Error: Division by zero is not allowed.', true) });
    const { agent, model } = setUp([[call('divide')], [content('Not possible.')]], host);
    const events = await collect(agent.turn('1/0'));
    expect(types(events)).toEqual(['tool_call', 'tool_error', 'token', 'assistant']);
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('Error: Division by zero is not allowed.');
  });

  test('a timeout goes to the model in its exact words', async () => {
    const message = "Tool 'slow' timed out after 90.0s";
    const host = new FakeHost({ slow: () => Promise.reject(new LlmHostError('TOOL_TIMEOUT', message)) });
    const { agent, model } = setUp([[call('slow')], [content('Sorry.')]], host);
    const events = await collect(agent.turn('go'));
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_error', message }));
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(`Error: ${message}`);
  });

  test('an unknown tool is never called; the model hears which ones there are', async () => {
    const host = new FakeHost({ add: answer('1') });
    const { agent, model } = setUp([[call('addd')], [content('ok')]], host);
    const events = await collect(agent.turn('x'));
    expect(host.calls).toEqual([]);
    expect(types(events)).toEqual(['tool_call', 'tool_error', 'token', 'assistant']);
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      "Error: There is no tool 'addd'. Did you mean 'add'? Tools: add.",
    );
  });

  test('a bare name that two servers have: the model is asked, and then means the one it called last', async () => {
    const host = new FakeHost({ calculator__add: answer('42'), cart__add: answer('in the cart') });
    const bare = [call('add')];
    const { agent, model } = setUp([bare, [call('cart__add')], bare, [content('ok')]], host);
    await collect(agent.turn('x'));
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/'add' may be several tools[\s\S]*cart__add/);
    expect(host.calls.map(({ name }) => name)).toEqual(['cart__add', 'cart__add']);
  });

  test('a reply that repeated itself without end: a notice, and a call written many times runs once', async () => {
    const host = new FakeHost({ add: answer('42'), sum: answer('1') });
    async function* endless() {
      for (let times = 0; times < 20; times++) yield { ...call('add', { a: 1 }), raw: 'add' } as const;
      yield { ...call('sum'), raw: 'sum' } as const;
      return { ...STATS, finishReason: 'length', repetitive: true } as const;
    }
    const { agent } = setUp([endless, [content('It is 42.')]], host);
    const events = await collect(agent.turn('x'));
    expect(types(events)).toEqual([
      ...['notice', 'tool_call', 'tool_result', 'tool_call', 'tool_result', 'token', 'assistant'],
    ]);
    expect(events).toContainEqual({
      type: 'notice',
      message:
        'The reply repeated itself without end and was stopped; --no-repetition-guard lets such a reply go on.',
    });
    expect(host.calls.map(({ name }) => name)).toEqual(['add', 'sum']);
  });

  test('an unreadable call is told to the model, and its text is kept', async () => {
    const broken = { type: 'malformed', raw: '<tool_call>{"a', reason: 'cut off' } as const;
    const { agent, model } = setUp([[broken], [content('fine')]]);
    const events = await collect(agent.turn('x'));
    expect(types(events)).toEqual(['tool_error', 'token', 'assistant']);
    const seen = model.requests[1]?.messages ?? [];
    expect(seen.at(-2)?.content).toBe(broken.raw);
    expect(seen.at(-1)?.content).toMatch(/^Error: The tool call could not be read: cut off/);
  });

  test('nothing but unreadable calls ends the turn after the retries', async () => {
    const broken = { type: 'malformed', raw: '<tool_call>', reason: 'cut off' } as const;
    const { agent, model } = setUp([[broken], [broken], [broken], [content('never')]]);
    const events = await collect(agent.turn('x'));
    expect(model.requests).toHaveLength(3);
    expect(types(events).slice(-2)).toEqual(['notice', 'assistant']);
  });

  test('the same call with the same result over and over is noticed, and goes on', async () => {
    const { agent } = setUp(
      [...Array(12).fill([call('add')]), [content('ok')]],
      new FakeHost({ add: answer('1') }),
    );
    const events = await collect(agent.turn('x'));
    expect(types(events).filter(type => type === 'tool_call')).toHaveLength(12);
    expect(events.flatMap(event => (event.type === 'notice' ? [event.message] : []))).toEqual([
      'The model made the same call with the same result 3 times in a row.',
      'The model made the same call with the same result 10 times in a row.',
    ]);
    expect(types(events).at(-1)).toBe('assistant');
  });

  test('a turn that goes on calling without end is noticed', async () => {
    const steps = Array.from({ length: 26 }, (_, index) => [call('add', { index })]);
    const { agent } = setUp([...steps, [content('ok')]], new FakeHost({ add: answer('1') }));
    const events = await collect(agent.turn('x'));
    expect(events).toContainEqual({
      type: 'notice',
      message: 'The model has called tools 25 times in this turn and goes on.',
    });
  });

  test('progress of a call is told while it runs', async () => {
    const host = new FakeHost({
      steps: async (_args, { onProgress }) => {
        onProgress?.({ done: 1, total: 2, message: 'half' });
        await Promise.resolve();
        onProgress?.({ done: 2 });
        onProgress?.({ done: 3, message: 'nearly' });
        return { text: 'done', isError: false };
      },
    });
    const { agent } = setUp([[call('steps')], [content('ok')]], host);
    const events = await collect(agent.turn('x'));
    expect(events.filter(event => event.type.startsWith('tool_')).slice(1)).toEqual([
      { type: 'tool_progress', id: 'call_1', message: '1 of 2: half' },
      { type: 'tool_progress', id: 'call_1', message: '2' },
      { type: 'tool_progress', id: 'call_1', message: 'nearly' },
      expect.objectContaining({ type: 'tool_result', text: 'done' }),
    ]);
  });

  test('the time in which the user fills in a form is not that of the call', async () => {
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const host = new FakeHost({
      form: async (_args, { onWaiting }) => {
        onWaiting?.(true);
        now += 60_000;
        onWaiting?.(false);
        now += 2000;
        return { text: 'done', isError: false };
      },
    });
    try {
      const { agent } = setUp([[call('form')], [content('ok')]], host);
      const result = (await collect(agent.turn('x'))).find(({ type }) => type === 'tool_result');
      expect(result).toMatchObject({ seconds: expect.closeTo(2) });
    } finally {
      clock.mockRestore();
    }
  });

  test('what the servers have to say comes before the prompt and after the calls', async () => {
    const host = Object.assign(new FakeHost({ add: answer('1') }), {
      told: ['early', 'late'],
      takeNotices() {
        return this.told.splice(0, 1);
      },
    });
    const { agent } = setUp([[call('add')], [content('ok')]], host);
    const events = await collect(agent.turn('x'));
    expect(types(events).slice(0, 4)).toEqual(['notice', 'tool_call', 'tool_result', 'notice']);
  });

  test('an input is prepared by the host, and refused by it before the model is asked', async () => {
    const host = Object.assign(new FakeHost({}), {
      prepareInput: (input: string) =>
        input === 'bad'
          ? Promise.reject(new LlmHostError('USAGE', 'no such prompt', { hint: 'try another' }))
          : Promise.resolve({ text: `${input} and more`, notices: ['attached'] }),
    });
    const { agent, model } = setUp([[content('ok')]], host);
    expect(await collect(agent.turn('bad'))).toEqual([
      { type: 'error', code: 'USAGE', message: 'no such prompt', hint: 'try another' },
    ]);
    const events = await collect(agent.turn('good'));
    expect(events[0]).toEqual({ type: 'notice', message: 'attached' });
    expect(model.requests[0]?.messages.at(-1)?.content).toBe('good and more');
  });

  test('a long result is cut for the model and whole for the reader', async () => {
    const host = new FakeHost({ read: answer('x'.repeat(500)) });
    const { agent, model } = setUp([[call('read')], [content('ok')]], host, { maxResultChars: 100 });
    const events = await collect(agent.turn('x'));
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', text: 'x'.repeat(500) }));
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(
      /^x{100}\n\.\.\. \[cut: 100 of 500 characters; this was part 1 of 5\. read_result /,
    );
  });
});

describe('several calls in one reply', () => {
  const slow = (text: string, ms: number) => () =>
    new Promise<{ text: string; isError: boolean }>(resolve =>
      setTimeout(() => resolve({ text, isError: false }), ms),
    );

  test('run at once when all are read-only, and keep the order of the calls', async () => {
    const host = new FakeHost({ a: slow('A', 60), b: slow('B', 1) }, true);
    const { agent, model } = setUp([[call('a'), call('b')], [content('ok')]], host);
    const events = await collect(agent.turn('x'));
    expect(types(events)).toEqual([
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'token',
      'assistant',
    ]);
    expect(model.requests[1]?.messages.slice(-2).map(message => message.content)).toEqual(['A', 'B']);
  });

  test('run one after another otherwise', async () => {
    const host = new FakeHost({ a: slow('A', 5), b: slow('B', 1) });
    const { agent } = setUp([[call('a'), call('b')], [content('ok')]], host);
    const events = await collect(agent.turn('x'));
    expect(types(events).slice(0, 4)).toEqual(['tool_call', 'tool_result', 'tool_call', 'tool_result']);
  });
});

describe('cancelling', () => {
  test('keeps the partial text and drops unfinished calls', async () => {
    const abort = new AbortController();
    const { agent, history } = setUp([
      async function* () {
        yield content('Half an ans');
        yield call('add');
        abort.abort();
        return { ...STATS, finishReason: 'cancelled' as const };
      },
    ]);
    const events = await collect(agent.turn('x', abort.signal));
    expect(events.at(-1)).toEqual({ type: 'assistant', text: 'Half an ans', cancelled: true });
    expect(history.messages.at(-1)).toEqual({ role: 'assistant', content: 'Half an ans' });
  });

  test('during a call ends the turn with the call answered in the history', async () => {
    const abort = new AbortController();
    const host = new FakeHost({
      slow: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new LlmHostError('CANCELLED', 'cancelled')));
          abort.abort();
        }),
    });
    const { agent, history } = setUp([[call('slow')], [content('never')]], host);
    const events = await collect(agent.turn('x', abort.signal));
    expect(events.at(-1)).toMatchObject({ type: 'assistant', cancelled: true });
    expect(history.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Error: Cancelled by the user' });
  });
});

describe('when the engine fails', () => {
  test('the turn ends with an error and leaves the history as it was', async () => {
    const { agent, history } = setUp([
      new LlmHostError('ENGINE', 'boom', { hint: 'fix' }),
      [content('again')],
    ]);
    expect(await collect(agent.turn('x'))).toEqual([
      { type: 'error', code: 'ENGINE', message: 'boom', hint: 'fix' },
    ]);
    expect(history.messages).toEqual([{ role: 'system', content: 'SYS' }]);
    expect(types(await collect(agent.turn('y')))).toEqual(['token', 'assistant']);
  });
});

describe('a full context', () => {
  test('leaves whole oldest turns out of the prompt, with a notice, and keeps the history', async () => {
    const { agent, model, history } = setUp([[content('one')], [content('two')], [content('three')]]);
    await collect(agent.turn('a'.repeat(60)));
    await collect(agent.turn('b'.repeat(30)));
    model.contextLength = 100;
    const events = await collect(agent.turn('c'.repeat(30)));
    expect(events[0]).toMatchObject({ type: 'notice', message: expect.stringContaining('left out') });
    expect(model.requests[2]?.messages.map(message => message.content)).toEqual([
      'SYS',
      'b'.repeat(30),
      'two',
      'c'.repeat(30),
    ]);
    expect(history.messages).toHaveLength(7);
  });

  test('a prompt that does not fit alone: no word of turns that were left out in vain', async () => {
    const { agent, model } = setUp([
      [content('one')],
      new LlmHostError('CONTEXT_FULL', 'too long'),
      [content('two')],
    ]);
    await collect(agent.turn('a'));
    model.contextLength = 100;
    expect(types(await collect(agent.turn('b'.repeat(200))))).toEqual(['error']);
    expect(types(await collect(agent.turn('c')))).toEqual(['token', 'assistant']);
  });
});
