import { describe, expect, it } from 'vitest';
import { type CallEvent, validateCalls } from '../../../src/agent/calls/validate-calls.ts';
import type { ToolCall } from '../../../src/chat/message.ts';
import { jsonBody } from '../../../src/parse/bodies/json-body.ts';
import { settleCalls } from '../../../src/parse/calls/settle-calls.ts';
import { ToolCatalog } from '../../../src/parse/calls/tool-catalog.ts';

const TOOLS = new ToolCatalog([
  {
    type: 'function',
    function: {
      name: 'install',
      parameters: {
        type: 'object',
        properties: { version: { type: 'string' }, count: { type: 'number' } },
        required: ['version'],
      },
    },
  },
]);

const newCall = (name: string, args: Readonly<Record<string, unknown>>): ToolCall => ({
  id: 'id',
  type: 'function',
  function: { name, arguments: args },
});

describe('a call that cannot be read', () => {
  const tool = (name: string) => ({ function: { name, parameters: {} } });
  const tools = new ToolCatalog([tool('set'), tool('set_all'), tool('get')]);

  it.each([
    ['{"name": "set_all", "arguments": {7K}}', 'set_all'],
    ['{"name": "get", "arguments": {7K}}', 'get'],
    ['{"name": "set_all", "or": "get"}', undefined],
    ['{"name": "remove"}', undefined],
    [`{"text": "${'x'.repeat(2000)}", "name": "get"}`, undefined],
    ['', undefined],
  ])('%j is of %j', (raw, name) => {
    const { invalid } = validateCalls([{ type: 'malformed', raw, reason: 'no end' }], tools, newCall);
    expect(invalid).toMatchObject([{ label: 'malformed_json', tool: name, call: undefined }]);
  });
});

function argumentsOf(body: string): unknown[] {
  const events = settleCalls(
    jsonBody,
    { raw: `<call>${body}</call>`, body, closed: true, cut: false },
    TOOLS,
  );
  const { valid, invalid } = validateCalls(events as CallEvent[], TOOLS, newCall);
  expect(invalid).toEqual([]);
  return valid.map(({ call }) => call.function.arguments);
}

describe('a number where a text is wanted', () => {
  it('becomes the text that the model wrote', () => {
    const body = '{"name": "install", "arguments": {"version": 3.10, "count": 2.0}}';
    expect(argumentsOf(body)).toEqual([{ version: '3.10', count: 2 }]);
  });

  it('becomes that in each of several calls in one text', () => {
    const call = (version: string) => `{"name": "install", "arguments": {"version": ${version}}}`;
    expect(argumentsOf(`[${call('3.10')}, ${call('4.0')}]`)).toEqual([
      { version: '3.10' },
      { version: '4.0' },
    ]);
  });

  it('is written as usual where the text has it in two forms', () => {
    const call = (version: string) => `{"name": "install", "arguments": {"version": ${version}}}`;
    expect(argumentsOf(`[${call('4')}, ${call('4.0')}]`)).toEqual([{ version: '4' }, { version: '4' }]);
  });
});
