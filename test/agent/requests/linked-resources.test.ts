import { expect, test } from 'vitest';
import { RequestTurns } from '../../../src/agent/requests/request-turns.ts';
import { call, collect, content, FakeHost, FakeModel } from '../fakes.ts';

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
    ...{ messages: [{ role: 'user', content: 'Read it' }], tools: [], toolChoice: 'auto' },
    ...{ sampling: {}, overflow: 'stop', ours: true },
  });
  const signal = new AbortController().signal;
  const events = await collect(turn.run({ acquire: async () => () => undefined, signal }));
  const results = events.flatMap(event => (event.type === 'tool_result' ? [event.text] : []));
  expect(results).toEqual([
    '[link memo://a]\n[read_resource {"uri":"memo://a"} reads the link]',
    'memo://a of fake',
  ]);
});
