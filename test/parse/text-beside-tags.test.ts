import { expect, test } from 'vitest';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';

const properties = { path: { type: 'string' } };
const named = (name: string) => ({ type: 'function', function: { name, parameters: { properties } } });
const tools = [named('look'), named('done')];
const PATH = '<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n';

function parse(text: string) {
  const parser = createToolParser({ format: 'glm', tools });
  return [...parser.push(text), ...parser.end({ finished: true })];
}

test.each([
  ['behind the last argument', `<tool_call>look\n${PATH}done</tool_call>`],
  ['behind it in a call that is not closed', `<tool_call>look\n${PATH}done`],
  ['before the first argument', `<tool_call>look\ndone\n${PATH}</tool_call>`],
])("text %s of one of GLM's calls is no other call", (_where, text) => {
  expect(parse(text)).toEqual([
    {
      type: 'malformed',
      raw: text,
      reason: expect.stringContaining("there is text beside the tags of 'look'"),
    },
  ]);
});

test('white space there is none', () => {
  const text = `<tool_call>look\n${PATH}\n \n</tool_call>`;
  expect(parse(text)).toEqual([{ type: 'call', name: 'look', arguments: { path: 'a.txt' }, raw: text }]);
});

test.each([
  ['on a line of its own', `<tool_call>look\n${PATH}done\n${PATH}</tool_call>`],
  ['without white space', `<tool_call>look\n${PATH.replaceAll('\n', '')}done${PATH}</tool_call>`],
  ['in a call that is not closed', `<tool_call>look\n${PATH}done\n${PATH}`],
])('a call of GLM whose marks are forgotten, %s, is a call and no text of the one before', (_where, text) => {
  expect(parse(text)).toEqual([
    { type: 'call', name: 'look', arguments: { path: 'a.txt' }, raw: text },
    { type: 'call', name: 'done', arguments: { path: 'a.txt' }, raw: '' },
  ]);
});
