import { expect, test, vi } from 'vitest';
import { RequestTurns } from '../../src/agent/requests/request-turns.ts';
import { collect, content, FakeHost, FakeModel } from './fakes.ts';

test("a client's request has the servers look after lists whose time is over", async () => {
  const refreshStale = vi.fn();
  const tools = Object.assign(new FakeHost({}), { refreshStale });
  const turns = new RequestTurns({
    model: new FakeModel([[content('x')]]),
    tools,
    systemMessage: '',
    sampling: {},
    toolTimeoutMs: 1000,
  });
  const turn = turns.open({
    messages: [{ role: 'user', content: 'x' }],
    tools: [],
    toolChoice: 'auto',
    sampling: {},
    overflow: 'trim',
    ours: true,
  });
  await collect(turn.run({ acquire: async () => () => undefined, signal: new AbortController().signal }));
  expect(refreshStale).toHaveBeenCalledTimes(1);
});
