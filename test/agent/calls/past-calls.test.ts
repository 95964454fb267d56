import { expect, test } from 'vitest';
import { newCallIds } from '../../../src/agent/calls/past-calls.ts';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory, type History } from '../../../src/chat/history.ts';
import type { Message } from '../../../src/chat/message.ts';
import { answer, call, collect, content, FakeHost, FakeModel } from '../fakes.ts';

const asked: Message = { role: 'user', content: 'Look.' };
const made = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map(id => ({ id, type: 'function', function: { name: 'look', arguments: {} } })),
});

function look(history: History) {
  const model = new FakeModel([[call('look'), call('look')], [content('Done.')]]);
  const tools = new FakeHost({ look: answer('A rose.') });
  const agent = new Conversation({ model, tools, history, sampling: {}, toolTimeoutMs: 1000 });
  return collect(agent.turn('Again.'));
}

const ids = (history: History): string[] =>
  history.messages.flatMap(message =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  );

test('ids go on where those of another run of the same conversation end', async () => {
  const history = createHistory();
  await look(history);
  await look(history);
  expect(ids(history)).toEqual(['call_1', 'call_2', 'call_3', 'call_4']);
});

test('a conversation that is put in the place of another has its own ids too', () => {
  const history = createHistory();
  const next = newCallIds(history);
  expect([next(), next()]).toEqual(['call_1', 'call_2']);
  history.replace([asked, made('call_4')], [asked, made('call_3')]);
  expect([next(), next()]).toEqual(['call_5', 'call_6']);
});
