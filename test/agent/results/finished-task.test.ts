import { expect, test } from 'vitest';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import type { PreparedInput, PrepareOptions } from '../../../src/mcp/tool-host.ts';
import { call, collect, content, FakeHost, FakeModel } from '../fakes.ts';

/** A host with a task that has ended since the last prompt. */
class Finished extends FakeHost {
  prepareInput(input: string, { cut }: PrepareOptions): Promise<PreparedInput> {
    return Promise.resolve({ text: `${cut?.('work', 'x'.repeat(20_000))}\n\n${input}`, notices: [] });
  }
}

test('the result of a task that has ended is cut as any other, and can be read on', async () => {
  const model = new FakeModel([[call('read_result', { result: 'r' })], [content('Done.')]]);
  model.contextLength = 8192;
  const agent = new Conversation({
    model,
    tools: new Finished({}),
    history: createHistory(),
    sampling: {},
    toolTimeoutMs: 1000,
  });
  const events = await collect(agent.turn('And now?'));
  const asked = model.requests[0]?.messages[0]?.content ?? '';
  expect(asked.length).toBeLessThan(6500);
  expect(asked).toContain('6000 of 20000 characters; this was part 1 of 4. read_result {"result": "r');
  expect(asked).toMatch(/\]\n\nAnd now\?$/);
  expect(JSON.stringify(events)).toContain('(work)');
});

test('what is told only once is given back where the turn fails, and nowhere else', async () => {
  let given = 0;
  class Told extends FakeHost {
    prepareInput(input: string): Promise<PreparedInput> {
      const giveBack = () => {
        given += 1;
      };
      return Promise.resolve({ text: `[It is done]\n\n${input}`, notices: [], giveBack });
    }
  }
  const model = new FakeModel([new Error('out of memory'), [content('Done.')], new Error('again')]);
  const history = createHistory();
  const tools = new Told({});
  const agent = new Conversation({ model, tools, history, sampling: {}, toolTimeoutMs: 1000 });
  expect((await collect(agent.turn('And now?'))).at(-1)).toMatchObject({ type: 'error' });
  expect([given, history.messages]).toEqual([1, []]);
  await collect(agent.turn('And now?'));
  expect(given).toBe(1);
  // A turn without an input of its own has nothing to give back.
  await collect(agent.respond());
  expect(given).toBe(1);
});
