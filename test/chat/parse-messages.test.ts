import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHistory } from '../../src/chat/history.ts';
import { replayParts } from '../../src/cli/chat/replay-parts.ts';
import { LlmHostError } from '../../src/errors.ts';

const parse = (...messages: readonly unknown[]) => parseHistory(JSON.stringify(messages)).messages;

const ASKED = { role: 'user', content: 'What is 1 + 2?' };
const calling = (made: object, rest: object = {}) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c', type: 'function', ...made }],
  ...rest,
});
const add = (args: unknown) => ({ function: { name: 'add', arguments: args } });

describe('a saved conversation', () => {
  test('in the form of the API: arguments as text, calls without content, results without a name', () => {
    expect(
      parse(
        ASKED,
        calling(add('{"a": 1, "b": 2}'), { content: null, refusal: null }),
        { role: 'tool', tool_call_id: 'c', content: '3' },
        calling(add(''), { tool_calls: [{ id: 'd', ...add(' ') }] }),
        { role: 'tool', tool_call_id: 'd', content: '0' },
        { role: 'assistant', content: '3', tool_calls: null, reasoning_content: null },
        { role: 'assistant', content: '3', reasoning_content: 'hm' },
      ),
    ).toEqual([
      ASKED,
      calling(add({ a: 1, b: 2 }), { refusal: null }),
      { role: 'tool', tool_call_id: 'c', name: 'add', content: '3' },
      calling(add({}), { tool_calls: [{ id: 'd', type: 'function', ...add({}) }] }),
      { role: 'tool', tool_call_id: 'd', name: 'add', content: '0' },
      { role: 'assistant', content: '3' },
      { role: 'assistant', content: '3', reasoning_content: 'hm' },
    ]);
  });

  test('the name of a result is that of the last call with its id, or the one it says', () => {
    const messages = parse(
      calling({ function: { name: 'one', arguments: {} } }),
      calling({ function: { name: 'two', arguments: {} } }),
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'tool', tool_call_id: 'x', name: 'own', content: '' },
    );
    expect(messages.slice(2)).toMatchObject([{ name: 'two' }, { name: 'own' }]);
  });

  const refuses = (message: object, fault: string) =>
    expect(() => parse(ASKED, message)).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        message: expect.stringContaining(`Message 2 of the saved conversation ${fault}`),
      }),
    );

  test.each<[object, string]>([
    [{ role: 'root', content: 'x' }, 'has no known role or no text'],
    [{ role: 'toString', content: 'x' }, 'has no known role or no text'],
    [{ role: 'user', content: null }, 'has no known role or no text'],
    [{ role: 'assistant', content: null }, 'is wrong: content: neither text nor calls'],
    [calling({ name: 'add', arguments: {} }), 'is wrong: tool_calls.0.function: '],
    [calling({ function: { name: 1, arguments: {} } }), 'is wrong: tool_calls.0.function.name: '],
    [calling({ ...add({}), id: 1 }), 'is wrong: tool_calls.0.id: '],
    [calling({ ...add({}), type: 'custom' }), 'is wrong: tool_calls.0.type: '],
    [{ ...calling(add({})), tool_calls: {} }, 'is wrong: tool_calls: '],
    [{ role: 'assistant', content: '', reasoning_content: 1 }, 'is wrong: reasoning_content: '],
    [{ role: 'tool', content: '3' }, 'is wrong: tool_call_id: '],
    [{ role: 'tool', content: '3', tool_call_id: 'c' }, 'is wrong: tool_call_id answers no call before it'],
  ])('%j is refused, with its number and what is wrong', refuses);

  test('arguments that are no object, or nested too deeply to be saved, are refused', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const args of ['{"a"', '[1]', [1], 'null', null, undefined, 1, deep])
      refuses(calling(add(args)), 'is wrong: tool_calls.0.function.arguments: not a JSON object');
  });

  test('whatever is accepted can be shown again', () => {
    const word = fc.constantFrom('c', '{}', '{"a":[1]}', '[', null, 1, {});
    const made = fc.record({ name: word, arguments: word }, { requiredKeys: [] });
    const call = fc.record({ id: word, function: fc.oneof(word, made) }, { requiredKeys: [] });
    const tree = fc.record({
      role: fc.constantFrom('assistant', 'tool', 'user', 'system'),
      content: fc.constantFrom('x', '', null),
      tool_call_id: word,
      tool_calls: fc.oneof(word, fc.array(call, { maxLength: 2 })),
    });
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 3 }), messages => {
        try {
          expect(replayParts(parse(...messages))).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toBeInstanceOf(LlmHostError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
