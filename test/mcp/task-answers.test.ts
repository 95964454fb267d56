import { expect, onTestFinished, test } from 'vitest';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { type Asked, httpEntry, NEW_ERA, scripted } from '../fixtures/mcp/http-servers.ts';

const FORM = { type: 'object', properties: { one: { type: 'string' } } };
const QUESTION = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Which one?', requestedSchema: FORM },
};
const ANSWER = { action: 'accept' as const, content: { one: 'this' } };

test.each([
  ['its way there', false, 2],
  ['its way back', true, 1],
])(
  'an answer to a task whose connection is lost on %s: the user is not asked again',
  async (_way, taken, updates) => {
    const asked: string[] = [];
    const given: unknown[] = [];
    const task = () => ({
      resultType: 'complete',
      taskId: 't',
      ttlMs: null,
      pollIntervalMs: 0,
      ...(given.length === 0
        ? { status: 'input_required', inputRequests: { q: QUESTION } }
        : { status: 'completed', result: { content: [{ type: 'text', text: 'worked' }] } }),
    });
    const server = await scripted(
      {
        ...NEW_ERA,
        'tools/call': () => ({ ...task(), resultType: 'task' }),
        'tasks/get': task,
        'tasks/update': ({ params, response }: Asked) => {
          const isFirst = asked.filter(method => method === 'tasks/update').length === 1;
          if (!isFirst || taken) given.push(params.inputResponses);
          if (!isFirst) return { resultType: 'complete' };
          response.destroy();
          return undefined;
        },
      },
      asked,
    );
    const host = new McpHost({ configs: [httpEntry(server.url)] });
    onTestFinished(() => host.close().then(() => server.close()));
    await host.start();
    let questions = 0;
    host.setElicitation(async () => {
      questions++;
      return ANSWER;
    });
    expect((await host.call('run', {}, { timeoutMs: 5000 })).text).toBe('worked');
    expect(questions).toBe(1);
    expect(given).toEqual([{ q: ANSWER }]);
    expect(asked.filter(method => method === 'tasks/update')).toHaveLength(updates);
  },
);
