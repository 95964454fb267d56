import { expect, test } from 'vitest';
import { LocalChatModel } from '../../../src/agent/model/local-model.ts';
import { ToolMeter } from '../../../src/agent/offer/tool-budget.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import type { ToolDefinition } from '../../../src/chat/message.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import type { Tokenizer } from '../../../src/tokens/tokenizer-types.ts';

/** A character a token. */
const tokenizer: Tokenizer = {
  vocabSize: 1,
  bosToken: undefined,
  eosToken: undefined,
  decode: () => '',
  idOf: () => undefined,
  encode: text => [...text].map(() => 0),
  encodeSegments: segments => segments.flatMap(({ text }) => [...text].map(() => 0)),
  stream: () => ({ push: () => '', end: () => '' }),
};
const info = { name: 'x', modelType: 'x', contextLength: 500, vocabSize: 1, parameters: 0, weightBytes: 0 };
const unused = () => {
  throw new Error('nothing is generated here');
};

/** As gpt-oss writes it. */
const source =
  "{% for tool in tools or [] %}{{ '// ' + tool.function.description + ' type ' + tool.function.name }}{% endfor %}{{ messages[0].content }}";
const compiled = compileTemplate(source);
const model = new LocalChatModel({
  engine: { info: { ...info, device: 'none' }, events: unused, generate: unused, close: unused } as never,
  tokenizer,
  now: new Date(),
  template: { compiled, source, capability: probeTemplate(compiled) },
});

const tool = (name: string, description?: string): ToolDefinition => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: {} },
    ...(description !== undefined && { description }),
  },
});

test('a tool without a description does not end every turn of a model whose template wants one', () => {
  const tools = [tool('a', 'A'), tool('b')];
  const count = () => model.countTokens({ messages: [{ role: 'user', content: 'hi' }], tools });
  expect(count()).toBe('// A type a//  type bhi'.length);
  expect(count()).toBe('// A type a//  type bhi'.length);
});

test('nor do tools beyond the budget, which are counted one by one', () => {
  const meter = new ToolMeter(model);
  expect(meter.one(tool('c', 'C'))).toBe('// C type c'.length);
  expect(meter.once).toBe(0);
});
