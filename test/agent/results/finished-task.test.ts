import { expect, test } from 'vitest';
import { Agent } from '../../../src/agent/turn/agent.ts';
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
  const agent = new Agent({
    ...{ model, tools: new Finished({}), history: createHistory(), sampling: {}, toolTimeoutMs: 1000 },
  });
  const events = await collect(agent.turn('And now?'));
  const asked = model.requests[0]?.messages[0]?.content ?? '';
  expect(asked.length).toBeLessThan(6500);
  expect(asked).toContain('6000 of 20000 characters; this was part 1 of 4. read_result {"result": "r');
  expect(asked).toMatch(/\]\n\nAnd now\?$/);
  expect(JSON.stringify(events)).toContain('(work)');
});
