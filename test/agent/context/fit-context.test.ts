import { expect, test } from 'vitest';
import type { ReplyEvent } from '../../../src/agent/model/chat-model.ts';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory, type History } from '../../../src/chat/history.ts';
import { answer, call, collect, content, FakeHost, FakeModel } from '../fakes.ts';

const UNREADABLE: ReplyEvent = { type: 'malformed', raw: '{"name": "look"', reason: 'it was cut off' };

function place(history: History) {
  const model = new FakeModel([[call('look')], [UNREADABLE], [content('Done.')]]);
  model.contextLength = 1000;
  const tools = new FakeHost({ look: answer('x'.repeat(600)) });
  const agent = new Conversation({ model, tools, history, sampling: {}, toolTimeoutMs: 1000 });
  const asked = () => model.requests.map(({ messages }) => messages.map(({ role }) => role));
  const contents = () => model.requests.at(-1)?.messages.map(one => one.content) ?? [];
  return { agent, asked, contents };
}

const OLD = [
  { role: 'user', content: `An older question. ${'y'.repeat(150)}` },
  { role: 'assistant', content: 'An older answer.' },
] as const;

test('the question of a turn stays, though a call that cannot be read was answered behind it', async () => {
  const { agent, asked, contents } = place(createHistory());
  await collect(agent.turn(`The question. ${'z'.repeat(230)}`));
  expect(asked().at(-1)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  expect(contents()[0]).toContain('The question.');
});

test('older turns do, also where the history ends with the question', async () => {
  const history = createHistory();
  history.add(...OLD, { role: 'user', content: `The question. ${'z'.repeat(200)}` });
  const { agent, asked, contents } = place(history);
  await collect(agent.respond());
  expect(asked().at(-1)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  expect(contents()[0]).toContain('The question.');
});
