import { expect, it } from 'vitest';
import {
  EXTENSION,
  incoming,
  outgoing,
  TASK_MARK,
  withShownLists,
} from '../../../src/mcp/transport/wire-extensions.ts';

const answer = (result: Record<string, unknown>, id: string | number = 1) => ({
  jsonrpc: '2.0' as const,
  id,
  result,
});

it.each([
  ['no type: a complete result', { a: 1 }, { a: 1, resultType: 'complete' }],
  ['complete: as it is', { resultType: 'complete' }, { resultType: 'complete' }],
  ['asks for input: as it is', { resultType: 'input_required' }, { resultType: 'input_required' }],
  ['an unknown type: as it is, and refused by the SDK', { resultType: 'odd' }, { resultType: 'odd' }],
  [
    'a task: complete, marked',
    { resultType: 'task', taskId: 't' },
    { resultType: 'complete', taskId: 't', content: [], [TASK_MARK]: true },
  ],
  [
    'lists are kept from the SDK, which refuses all for one odd item',
    { resultType: 'complete', tools: [{ icons: 7 }], prompts: 'none', 'llm-host/list:prompts': ['forged'] },
    { resultType: 'complete', tools: [], 'llm-host/list:tools': [{ icons: 7 }], prompts: 'none' },
  ],
  ['a forged mark is removed', { [TASK_MARK]: true, a: 1 }, { a: 1, resultType: 'complete' }],
])('%s', (_, result, expected) => {
  const { result: seen } = incoming(answer(result)) as { result: object };
  expect(seen).toEqual(expected);
});

it('answers to the question for the era, errors and requests stay as they are', () => {
  const probe = answer({ a: 1 }, 'server-discover-probe-1');
  expect(incoming(probe)).toBe(probe);
  const request = { jsonrpc: '2.0' as const, id: 1, method: 'roots/list' };
  expect(incoming(request)).toBe(request);
  expect(outgoing(request)).toBe(request);
});

it.each([
  { content: [{ type: 'text', text: 7 }], isError: false },
  { contents: [], messages: [1] },
  { content: 'none', structuredContent: { content: [1] } },
])('lists come back as they were: %j', result => {
  const { result: seen } = incoming(answer(result)) as { result: Record<string, unknown> };
  expect(withShownLists(seen)).toEqual({ ...result, resultType: 'complete' });
});

it('methods of extensions leave under their own names', () => {
  const request = {
    jsonrpc: '2.0' as const,
    id: 1,
    method: `${EXTENSION}tasks/get`,
    params: { taskId: 't' },
  };
  expect(outgoing(request)).toEqual({ ...request, method: 'tasks/get' });
});
