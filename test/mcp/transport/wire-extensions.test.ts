import { expect, it } from 'vitest';
import {
  EXTENSION,
  FORM_MARK,
  incoming,
  MAX_QUESTIONS,
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

it('an answer that asks too much is an error for its request; so many questions are not', () => {
  const asking = (count: number) =>
    answer({
      resultType: 'input_required',
      inputRequests: Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, {}])),
    });
  expect(incoming(asking(MAX_QUESTIONS))).toEqual(asking(MAX_QUESTIONS));
  expect(incoming(asking(MAX_QUESTIONS + 1))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32000, message: 'the answer asks more than 20 questions at once and was refused' },
  });
});

it('a question loses a form that nobody would fill in, and says why', () => {
  const asking = (fields: number) => ({
    method: 'elicitation/create',
    params: {
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: fields }, (_, index) => [`f${index}`, {}])),
      },
    },
  });
  const cut = {
    ...asking(0),
    params: { ...asking(0).params, _meta: { [FORM_MARK]: 'is larger than 32 KB' } },
  };
  const request = (fields: number) => ({ jsonrpc: '2.0' as const, id: 1, ...asking(fields) });
  expect(incoming(request(200))).toEqual(request(200));
  expect(incoming(request(20_000))).toEqual({ ...request(0), ...cut });
  const inAnswer = (...inputRequests: object[]) =>
    answer({ resultType: 'input_required', inputRequests: { ...inputRequests } });
  expect(incoming(inAnswer(asking(20_000), asking(2)))).toEqual(inAnswer(cut, asking(2)));
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
