import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../src/agent/events/turn-event.ts';
import { Conversation } from '../../src/agent/turn/conversation.ts';
import { createHistory } from '../../src/chat/history.ts';
import type { CallOptions, ToolOutcome } from '../../src/mcp/tool-host.ts';
import { answer, call, content, FakeHost, FakeModel, STATS, type Step } from './fakes.ts';

function agentOf(steps: Step[], host = new FakeHost({})) {
  const history = createHistory();
  const model = new FakeModel(steps);
  const agent = new Conversation({ model, tools: host, history, sampling: {}, toolTimeoutMs: 60_000 });
  return { agent, history, model };
}

/** Reads up to the first event of this type. */
async function readUpTo(type: TurnEvent['type'], agent: Conversation): Promise<void> {
  for await (const event of agent.turn('hi')) if (event.type === type) break;
}

describe('a turn that nobody reads any more', () => {
  test('ends the reply, and what was said stays', async () => {
    let aborted = false;
    const { agent, history } = agentOf([
      async function* ({ signal }) {
        yield content('one');
        yield content(' two');
        aborted = signal?.aborted === true;
        return { ...STATS, finishReason: 'cancelled' };
      },
    ]);
    await readUpTo('token', agent);
    expect(aborted).toBe(true);
    expect(history.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'one two' },
    ]);
  });

  test('ends its calls, each with a result, and the next turn goes on from there', async () => {
    let aborted = false;
    const slow = (_: unknown, { signal }: CallOptions): Promise<ToolOutcome> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('ended'));
        });
      });
    const progress: typeof slow = (args, options) => {
      setTimeout(() => options.onProgress?.({ done: 1 }), 5);
      return slow(args, options);
    };
    const host = new FakeHost({ slow: progress });
    const { agent, history, model } = agentOf([[call('slow')], [content('well')]], host);
    await readUpTo('tool_progress', agent);
    expect(aborted).toBe(true);
    expect(history.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    for await (const _event of agent.turn('again'));
    expect(model.requests).toHaveLength(2);
    expect(history.messages.at(-1)).toEqual({ role: 'assistant', content: 'well' });
  });

  test('that was read to its end is not aborted', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const note = (_: unknown, { signal }: CallOptions) => {
      signals.push(signal);
      return answer('done')();
    };
    const { agent } = agentOf([[call('note')], [content('well')]], new FakeHost({ note }));
    for await (const _event of agent.turn('hi'));
    expect(signals.map(signal => signal?.aborted)).toEqual([false]);
  });
});

describe('a turn beside another of the same agent', () => {
  test('is refused; the first goes on, and afterwards another may begin', async () => {
    const { agent, history } = agentOf([[content('one'), content(' and more')], [content('two')]]);
    const first = agent.turn('A');
    await first.next();
    const refused = { code: 'USAGE', message: 'A turn of this agent is already running' };
    await expect(agent.turn('B').next()).rejects.toMatchObject(refused);
    expect(() => agent.clear()).toThrow(refused.message);
    while (!(await first.next()).done);
    for await (const _event of agent.turn('C'));
    expect(history.messages.map(message => message.content)).toEqual(['A', 'one and more', 'C', 'two']);
    agent.clear();
    expect(history.messages).toEqual([]);
  });

  test('may begin once that has been cancelled, though nobody reads it any more', async () => {
    const { agent, history } = agentOf([
      async function* ({ signal }) {
        yield content('one');
        if (!signal?.aborted) yield content(' and more');
        return { ...STATS, finishReason: 'cancelled' };
      },
      [content('two')],
    ]);
    const first = agent.turn('A');
    while ((await first.next()).value?.type !== 'token');
    await expect(agent.turn('B').next()).rejects.toMatchObject({ hint: expect.stringContaining('cancel()') });
    await agent.cancel();
    for await (const _event of agent.turn('B'));
    expect(history.messages.map(message => message.content)).toEqual(['A', 'one', 'B', 'two']);
    expect(await first.next()).toEqual({ done: true, value: undefined });
  });

  test('may begin after a cancel amid a wait for the model, for its reader too; cancelling again does nothing', async () => {
    const { agent, history } = agentOf([
      async function* ({ signal }) {
        yield content('one');
        await new Promise(resolve => signal?.addEventListener('abort', resolve));
        return { ...STATS, finishReason: 'cancelled' };
      },
      [content('two')],
    ]);
    const types: string[] = [];
    const read = (async () => {
      for await (const { type } of agent.turn('A')) types.push(type);
    })();
    while (!types.includes('token')) await new Promise(resolve => setImmediate(resolve));
    await Promise.all([agent.cancel(), agent.cancel()]);
    await agent.cancel();
    await read;
    for await (const _event of agent.turn('B'));
    expect(history.messages.map(message => message.content)).toEqual(['A', 'one', 'B', 'two']);
  });

  test('goes on when an ended one is read once more', async () => {
    const { agent, history } = agentOf([
      [content('one'), content(' and more')],
      [content('two'), content('!')],
    ]);
    const first = agent.turn('A');
    await first.next();
    await agent.cancel();
    const second = agent.turn('B');
    await second.next();
    await first.return(undefined);
    await expect(agent.turn('C').next()).rejects.toMatchObject({ code: 'USAGE' });
    while (!(await second.next()).done);
    expect(history.messages.at(-1)?.content).toBe('two!');
  });

  test('may begin after one that was left, or failed', async () => {
    const { agent, history } = agentOf([[content('one')], new Error('it broke'), [content('three')]]);
    await readUpTo('token', agent);
    for await (const _event of agent.turn('B'));
    for await (const _event of agent.turn('C'));
    expect(history.messages.at(-1)?.content).toBe('three');
  });
});
