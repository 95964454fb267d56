import { expect, test } from 'vitest';
import type { TurnRequest } from '../../../src/agent/requests/request-turn.ts';
import { RequestTurns } from '../../../src/agent/requests/request-turns.ts';
import type { Message } from '../../../src/chat/message.ts';
import { answer, call, collect, content, FakeHost, FakeModel, STATS, type Step } from '../fakes.ts';

class Linking extends FakeHost {
  readResource(server: string, uri: string) {
    return Promise.resolve({ text: `${uri} of ${server}`, isError: false });
  }
}

test('a request reads what a result of its own links to', async () => {
  const links = [{ server: 'fake', uri: 'memo://a' }];
  const tools = new Linking({ list: async () => ({ text: '[link memo://a]', isError: false, links }) });
  const model = new FakeModel([
    [call('list')],
    [call('read_resource', { uri: 'memo://a' })],
    [content('Read.')],
  ]);
  const turns = new RequestTurns({ model, tools, sampling: {}, toolTimeoutMs: 1000, systemMessage: '' });
  const turn = turns.open({
    messages: [{ role: 'user', content: 'Read it' }],
    tools: [],
    toolChoice: 'auto',
    sampling: {},
    overflow: 'stop',
    ours: true,
  });
  const signal = new AbortController().signal;
  const events = await collect(turn.run({ acquire: async () => () => undefined, signal }));
  const results = events.flatMap(event => (event.type === 'tool_result' ? [event.text] : []));
  expect(results).toEqual([
    '[link memo://a]\n[read_resource {"uri":"memo://a"} reads the link]',
    'memo://a of fake',
  ]);
});

/** Two requests of a client, the second with what it has seen of the first. */
async function talk(tools: FakeHost, steps: Step[], second: Partial<TurnRequest> = {}) {
  const model = new FakeModel(steps);
  const options = { model, tools, sampling: {}, toolTimeoutMs: 1000, maxResultChars: 1000 };
  const turns = new RequestTurns({ ...options, systemMessage: '' });
  const messages: Message[] = [{ role: 'user', content: 'Read it' }];
  const signal = new AbortController().signal;
  const run = (more: Partial<TurnRequest>) => {
    const turn = turns.open({
      messages: [...messages],
      tools: [],
      toolChoice: 'auto',
      sampling: {},
      overflow: 'stop',
      ours: true,
      ...more,
    });
    return collect(turn.run({ acquire: async () => () => undefined, signal }));
  };
  await run({});
  messages.push({ role: 'assistant', content: 'Read.' }, { role: 'user', content: 'And now?' });
  const events = await run(second);
  const results = events.flatMap(event => (event.type === 'tool_result' ? [event.text] : []));
  return { model, results };
}

test('a later request reads on in what an earlier one has read', async () => {
  const links = [{ server: 'fake', uri: 'memo://a' }];
  const text = Array.from({ length: 400 }, (_, at) => `line ${at + 1}`).join('\n');
  const tools = new Linking({
    list: async () => ({ text: '[link memo://a]', isError: false, links }),
    read: answer(text),
  });
  const readOn: Step = async function* (request) {
    const note = request.messages.findLast(({ content }) => content.includes('read_result'))?.content;
    const [, reference] = /"result": "(\w+)"/.exec(note ?? '') ?? [];
    yield* [call('read_result', { result: reference, part: 2 }), call('read_resource', { uri: 'memo://a' })];
    return STATS;
  };
  const steps = [[call('list'), call('read')], [content('Read.')], readOn, [content('Done.')]];
  const { model, results } = await talk(tools, steps);
  expect(results).toEqual([expect.stringMatching(/\[part 2 of 4\]$/), 'memo://a of fake']);
  // The head of the prompt is that of the round before, so that it stays cached.
  expect(model.requests[2]?.listed).toEqual(model.requests[1]?.listed);
});

test.each<[string, Partial<TurnRequest>]>([
  ['without tools', { toolChoice: 'none' }],
  ['with none of ours', { ours: false }],
  ['with one tool', { toolChoice: { name: 'other' } }],
])('a later request %s does not', async (_what, second) => {
  const tools = new FakeHost({ read: answer('x'.repeat(5000)), other: answer('1') });
  const { model } = await talk(tools, [[call('read')], [content('Read.')], [content('Done.')]], second);
  const names = model.requests.at(-1)?.tools.map(tool => tool.function.name);
  expect(names).toEqual(second.toolChoice === 'none' || second.ours === false ? [] : ['other']);
});

test('a conversation of another client reads nothing', async () => {
  const tools = new FakeHost({ read: answer('x'.repeat(5000)) });
  const { model } = await talk(tools, [[call('read')], [content('Read.')], [content('Done.')]], {
    messages: [{ role: 'user', content: 'Who am I?' }],
  });
  expect(model.requests.at(-1)?.tools.map(tool => tool.function.name)).toEqual(['read']);
});
