import { expect, test } from 'vitest';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import { answer, call, collect, content, FakeHost, FakeModel, type Step } from '../fakes.ts';

const QUESTION = `What is in this document? ${'d'.repeat(650)}`;

function asked(steps: Step[], tools: FakeHost = new FakeHost({})) {
  const model = new FakeModel(steps);
  model.contextLength = 1000;
  const history = createHistory();
  history.add(
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: QUESTION },
  );
  const conversation = new Conversation({
    model,
    tools,
    history,
    sampling: {},
    toolTimeoutMs: 1000,
    overflow: 'trim',
  });
  const turn = conversation.respond(undefined, { type: 'json_object' });
  return { model, history, turn };
}

test('an answer that is asked for again never pushes its question out of the prompt', async () => {
  const { model, turn } = asked([[content('p'.repeat(150))], [content('{"a":1}')]]);
  const events = await collect(turn);
  expect(model.requests[1]?.messages.map(({ content: text }) => text.slice(0, 20))).toEqual([
    QUESTION.slice(0, 20),
    'p'.repeat(20),
    'That was not the req',
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'assistant', text: '{"a":1}' });
});

test('a failure behind a first answer leaves the question as the last message', async () => {
  const { history, turn } = asked([[content('No.')], new Error('out of memory')]);
  expect((await collect(turn)).at(-1)).toMatchObject({ type: 'error', message: 'out of memory' });
  expect(history.messages.at(-1)).toEqual({ role: 'user', content: QUESTION });
});

test('results that came before the first answer still give way', async () => {
  const tools = new FakeHost({ look: answer('r'.repeat(2000)) });
  const steps = [[call('look')], [content('No.')], [content('{"a":1}')]];
  const { model, turn } = asked(steps, tools);
  model.contextLength = 4000;
  model.countTokens = ({ messages }) =>
    messages.reduce((sum, message) => sum + message.content.length, 0) +
    // The second answer is asked for in many more tokens.
    (messages.some(({ content: text }) => text.startsWith('That was not')) ? 2000 : 0);
  const events = await collect(turn);
  const [, , last] = model.requests;
  expect(last?.messages.find(({ role }) => role === 'tool')?.content.length).toBeLessThan(2000);
  expect(events.at(-1)).toMatchObject({ type: 'assistant', text: '{"a":1}' });
});

test('of a repaired answer only the failures are forgotten, not the calls', async () => {
  const tools = new FakeHost({ look: answer('A rose.') });
  const steps = [
    [call('look')],
    [content('A rose!')],
    [call('look')],
    [content('So what?')],
    [content('```json\n{"a":1}\n```')],
  ];
  const { history, turn } = asked(steps, tools);
  await collect(turn);
  const said = history.messages.slice(3).map(({ role, content: text }) => [role, text]);
  expect(said).toEqual([
    ['assistant', ''],
    ['tool', 'A rose.'],
    ['assistant', ''],
    ['tool', 'A rose.'],
    ['assistant', '{"a":1}'],
  ]);
});
