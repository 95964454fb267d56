import { expect, test } from 'vitest';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import { call, collect, content, FakeHost, FakeModel } from '../fakes.ts';

const link = (uri: string) => ({ server: 'fake', uri });

/** A host whose results link to resources. */
class Linking extends FakeHost {
  readonly read: [string, string][] = [];

  constructor() {
    super({
      list: async () => ({
        text: '[link memo://a]',
        isError: false,
        links: [link('memo://a'), link('memo://b')],
      }),
      plain: async () => ({ text: 'no link', isError: false }),
    });
  }

  readResource(server: string, uri: string) {
    this.read.push([server, uri]);
    return Promise.resolve({ text: `all of ${uri}`, isError: false, links: [link('memo://c')] });
  }
}

test('a link in a result can be read, by a tool that changes nothing at the head of the prompt', async () => {
  const tools = new Linking();
  const model = new FakeModel([
    [call('read_resource', { uri: 'memo://a' })],
    [content('Not yet.')],
    [call('list')],
    [call('read_resource', { uri: ' memo://b ' })],
    [call('read_resource', { uri: 'memo://other' })],
    [content('Done.')],
    [content('Gone.')],
  ]);
  const agent = new Conversation({
    model,
    tools,
    history: createHistory(),
    sampling: {},
    toolTimeoutMs: 1000,
  });
  const early = await collect(agent.turn('Is there one?'));
  expect(early).toContainEqual(expect.objectContaining({ type: 'tool_error', name: 'read_resource' }));
  const events = await collect(agent.turn('Read it'));
  const results = events.flatMap(event => (event.type === 'tool_result' ? [event.text] : []));
  expect(results).toEqual([
    '[link memo://a]\n[read_resource {"uri":"memo://a"} reads a link]',
    'all of memo://b\n[read_resource {"uri":"memo://c"} reads the link]',
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'tool_error',
      message: 'No result has linked to that. Links: memo://a, memo://b, memo://c.',
    }),
  );
  expect(tools.read).toEqual([['fake', 'memo://b']]);
  const names = (list: readonly { function: { name: string } }[] = []) => list.map(one => one.function.name);
  expect(names(model.requests.at(-1)?.tools)).toEqual(['list', 'plain', 'read_resource']);
  for (const { listed } of model.requests) expect(names(listed)).toEqual(['list', 'plain']);
  agent.clear();
  await collect(agent.turn('Again'));
  expect(names(model.requests.at(-1)?.tools)).toEqual(['list', 'plain']);
});
