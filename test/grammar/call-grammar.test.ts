import { beforeAll, describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../src/chat/message.ts';
import type { ReplyConstraint } from '../../src/grammar/constrained-reply.ts';
import type { GrammarEngine } from '../../src/grammar/grammar-engine.ts';
import { canConstrain, replyConstraint } from '../../src/grammar/reply-constraint.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { FORMATS } from '../../src/parse/formats/table.ts';
import type { BodyCall, ChatFormat } from '../../src/parse/types/format.ts';
import { byteGrammar, judge } from './byte-grammar.ts';

const TOOLS: readonly ToolDefinition[] = [
  {
    type: 'function',
    function: {
      name: 'find_files',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string' },
          depth: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['pattern'],
      },
    },
  },
  { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
];

/** Bodies in tags or in Python: no grammar, but check and retry. */
const FREE = [
  ...[
    'gemma-4',
    'functiongemma',
    'minimax-m2',
    'seed-oss',
    'deepseek-v3.2',
    'deepseek-v4',
    'lfm2',
    'olmo3',
    'glm',
  ],
  ...['qwen3-coder', 'gemma-3'],
];

let grammars: GrammarEngine;
beforeAll(async () => {
  grammars = await byteGrammar();
});

test('every format is either held or known to be free', () => {
  const free = FORMATS.filter(format => !canConstrain(format)).map(format => format.id);
  expect(free.sort()).toEqual([...FREE].sort());
});

const constraintOf = (format: ChatFormat): Promise<ReplyConstraint> => {
  const newParser = () => createToolParser({ format, tools: TOOLS });
  const tokenizer = { stream: () => ({ push: () => '', end: () => '' }), encodeSegments: () => [] };
  return replyConstraint({
    grammar: grammars,
    tokenizer,
    format,
    tools: TOOLS,
    newParser,
    constrainCalls: true,
    responseFormat: undefined,
  });
};

/** The grammar of the first call in `text`, and the text that it is about. */
async function opened(format: ChatFormat, text: string) {
  const constraint = await constraintOf(format);
  const parser = constraint.newParser();
  for (const [index, letter] of [...text].entries()) {
    parser.push(letter);
    const call = parser.progress?.().call;
    const found = call && constraint.callGrammar(call);
    if (call && found) return { found, body: call.body + [...text].slice(index + 1).join('') };
  }
  return undefined;
}

async function verdictOnText(format: ChatFormat, text: string) {
  const open = await opened(format, text);
  if (!open || open.found === 'content') return undefined;
  return await judge(grammars, open.found.grammar, open.body);
}

const verdictOn = (format: ChatFormat, call: BodyCall) => verdictOnText(format, format.writeCalls([call]));

describe.each(FORMATS.filter(format => canConstrain(format)))('$id', format => {
  test('a call as the format writes it fits', async () => {
    const args = { pattern: '</tool_call> "*" {\\n} [ARGS] 日本', depth: 3, tags: ['a', ''] };
    expect(await verdictOn(format, { name: 'find_files', arguments: args })).toBe('whole');
    expect(await verdictOn(format, { name: 'now', arguments: {} })).toBe('whole');
  });

  test('another name does not, nor another argument or type', async () => {
    expect(await verdictOn(format, { name: 'find_file', arguments: { pattern: 'x' } })).toBe('no');
    for (const args of [{}, { pattern: 1 }, { pattern: 'x', deep: 1 }, { pattern: 'x', depth: 1.5 }]) {
      expect(await verdictOn(format, { name: 'find_files', arguments: args })).toBe('no');
    }
  });
});

test.each([
  ' to=functions.find_files <|constrain|>json<|message|>{"pattern": "a"}<|call|>',
  '<|channel|>commentary to=functions.find_files<|message|>{"pattern": "a"}',
  'to=find_files<|channel|>commentary <|constrain|>json<|message|>{"pattern": "a"}<|call|>',
])('headers of gpt-oss: %s', async text => {
  const harmony = FORMATS.find(format => format.id === 'harmony') as ChatFormat;
  expect(await verdictOnText(harmony, text)).toBe('whole');
});

test('two calls in a list fit, and what follows a call is free', async () => {
  const nemotron = FORMATS.find(format => format.id === 'nemotron-v2') as ChatFormat;
  const calls = [
    { name: 'now', arguments: {} },
    { name: 'find_files', arguments: { pattern: 'a' } },
  ];
  expect(await verdictOnText(nemotron, `${nemotron.writeCalls(calls)} and so on`)).toBe('whole');
});

test('a schema that is too much for a grammar leaves the calls free', async () => {
  const hermes = FORMATS.find(format => format.id === 'hermes') as ChatFormat;
  const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`p${i}`, {}]));
  const tools: ToolDefinition[] = [
    { type: 'function', function: { name: 'f', parameters: { type: 'object', properties } } },
  ];
  const newParser = () => createToolParser({ format: hermes, tools });
  const tokenizer = { stream: () => ({ push: () => '', end: () => '' }), encodeSegments: () => [] };
  const constraint = await replyConstraint({
    grammar: grammars,
    tokenizer,
    format: hermes,
    tools,
    newParser,
    constrainCalls: true,
    responseFormat: undefined,
  });
  const parser = newParser();
  parser.push('<tool_call>{"n');
  const call = parser.progress?.().call;
  expect(call?.body).toBe('{"n');
  expect(call && constraint.callGrammar(call)).toBeUndefined();
});
