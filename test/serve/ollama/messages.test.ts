import { describe, expect, it } from 'vitest';
import { toMessages } from '../../../src/serve/ollama/requests.ts';

const called = (id: string | undefined, name: string) => ({ ...(id && { id }), function: { name } });
const result = (content: string, more: object = {}) => ({ role: 'tool' as const, content, ...more });

/** Each result with the number of the call that it answers. */
function answered(calls: readonly object[], results: readonly object[]) {
  const asked = { role: 'user', content: 'Go' };
  const given = [asked, { role: 'assistant', content: '', tool_calls: calls }, ...results];
  return toMessages(given as Parameters<typeof toMessages>[0]).flatMap(message =>
    message.role === 'tool' ? [`${message.content} of ${message.tool_call_id}`] : [],
  );
}

describe("results of Ollama's clients belong", () => {
  it('to the call with the id that they name, in whatever order they come', () => {
    const calls = [called('x1', 'look'), called('x2', 'look'), called('x3', 'look')];
    const results = [
      result('third', { tool_call_id: 'x3', tool_name: 'look' }),
      result('first', { tool_call_id: 'x1', tool_name: 'look' }),
      result('second', { tool_call_id: 'x2', tool_name: 'look' }),
    ];
    expect(answered(calls, results)).toEqual(['third of call_3', 'first of call_1', 'second of call_2']);
  });

  it('to the first call of the tool that they name, also under the older name', () => {
    const calls = [called(undefined, 'look'), called(undefined, 'add')];
    const results = [result('sum', { name: 'add' }), result('seen', { tool_name: 'look' })];
    expect(answered(calls, results)).toEqual(['sum of call_2', 'seen of call_1']);
  });

  it('to calls in order otherwise', () => {
    const calls = [called('x1', 'look'), called('x2', 'look')];
    expect(answered(calls, [result('a'), result('b', { tool_call_id: 'gone' })])).toEqual([
      ...['a of call_1', 'b of call_2'],
    ]);
    expect(() => answered(calls, [result('a'), result('b'), result('c')])).toThrow('there is no call');
  });
});
