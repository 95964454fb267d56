import { describe, expect, it } from 'vitest';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { mergeEvents } from './merge-events.ts';
import { randomChunks, seededRandom } from './seeded-random.ts';

/** As Hugging Face declares it for Qwen 3.5. */
const TAGGED = {
  start_anchor: '<|im_start|>assistant\n',
  fields: {
    reasoning_content: { open: '<think>', close: '</think>' },
    tool_calls: {
      open_pattern: '\\s*<tool_call>\\s*<function=(?P<name>[^>\\n]+)>',
      close_pattern: '</function>\\s*</tool_call>',
      repeats: true,
      content: 'xml-inline',
      content_args: { tag_pattern: '<parameter=(?P<key>[^>\\n]+)>\\s*(?P<value>.*?)\\s*</parameter>' },
      transform: { type: 'function', function: { name: '{name}', arguments: '{content}' } },
    },
    content: { close_pattern: '\\s*(?:<\\|im_end\\|>|<\\|endoftext\\|>)' },
  },
};
const properties = { a: { type: 'integer' }, t: { type: 'string' } };
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties } } }];
const CALL =
  '<tool_call>\n<function=f>\n<parameter=a>\n7\n</parameter>\n<parameter=t>\n8\n</parameter>\n</function>\n</tool_call>';

/** Arguments of a parser of values of parsers of values ... */
function parsersWithin(depth: number): object {
  let args = {};
  for (let i = 0; i < depth; i++) args = { value_parser: { name: 'xml-inline', args } };
  return args;
}

function parse(chunks: readonly string[], prompt = '') {
  const parser = createToolParser({ responseTemplate: TAGGED, tools: TOOLS, prompt });
  return mergeEvents([...chunks.flatMap(chunk => parser.push(chunk)), ...parser.end()]);
}

describe("a model's own response_template", () => {
  it('gives thinking, content and typed calls, the same in any pieces', () => {
    const text = `<think>hm</think>Well.\n\n${CALL}\n${CALL}<|im_end|>`;
    const whole = parse([text]);
    expect(whole.map(event => event.type)).toEqual(['thinking', 'content', 'call', 'call']);
    expect(whole[2]).toMatchObject({ name: 'f', arguments: { a: 7, t: '8' } });
    const random = seededRandom(3);
    for (let round = 0; round < 100; round++) expect(parse(randomChunks(text, random))).toEqual(whole);
  });

  it('starts where the prompt left off, and says when a call was cut off', () => {
    const prompt = '<|im_start|>assistant\n<think>\n';
    expect(parse(['so</think>ok'], prompt)).toEqual([
      { type: 'thinking', text: 'so' },
      { type: 'content', text: 'ok' },
    ]);
    expect(parse([CALL.slice(0, 40)]).map(event => event.type)).not.toContain('content');
  });

  it('is refused by name where it is broken', () => {
    const refused = (spec: object) => () => createToolParser({ responseTemplate: spec });
    expect(refused({ fields: {} })).toThrow(/has no fields/);
    expect(refused({ version: 9, fields: { a: {} } })).toThrow(/version 9/);
    expect(refused({ fields: { a: { open_pattern: '(' } } })).toThrow(/broken 'open_pattern'/);
    // The regular expression engine runs out of stack at some 10,000.
    const long = '</call>'.repeat(2000);
    for (const key of ['open', 'close', 'open_pattern'])
      expect(refused({ fields: { a: { ...(key === 'close' && { open: '<a>' }), [key]: long } } })).toThrow(
        `has a '${key}' of more than 2000 characters in a`,
      );
    expect(refused({ fields: { a: { open: [long, 'b'] } } })).toThrow(/more than 2000 characters/);
  });

  it.each([
    ['open_pattern', { open_pattern: { toString: 1 } }, "has a 'open_pattern' that is not text in a"],
    ['content_args', { content_args: [] }, "has 'content_args' that are not an object in a"],
    ['tag_pattern', { content_args: { tag_pattern: { toString: 1 } } }, "a 'tag_pattern' that is not text"],
    ['a broken tag_pattern', { content_args: { tag_pattern: '(' } }, "a broken 'tag_pattern'"],
    [
      'string_delims',
      { content_args: { string_delims: [[{ toString: 1 }]] } },
      'not a list of pairs of text',
    ],
    [
      'value_parser',
      { content_args: { value_parser: { name: 'yaml' } } },
      "a 'value_parser' of an unknown name; known: text, int",
    ],
    [
      'the pattern of a value_parser',
      { content_args: { value_parser: { args: { tag_pattern: 1 } } } },
      'not text',
    ],
    ['parsers without end', { content_args: parsersWithin(10_000) }, 'more than 8 parsers of values'],
  ])('%s of the wrong kind is refused when the template is loaded', (_, field, message) => {
    expect(() => createToolParser({ responseTemplate: { fields: { a: field } } })).toThrow(message);
  });

  it.each([
    ['opener', { fields: { tool_calls: { open_pattern: '(a+)+b', close: '</c>' } } }],
    ['closer', { fields: { content: { close_pattern: '(a+)+b' } } }],
    [
      'tags',
      {
        fields: {
          tool_calls: {
            open: '<c>',
            close: '</c>',
            content: 'xml-inline',
            content_args: { tag_pattern: '(?P<key>(a+)+)b' },
          },
        },
      },
    ],
  ])('a pattern of the %s that never ends is stopped with its reason', (_, responseTemplate) => {
    const begun = performance.now();
    expect(() => {
      const parser = createToolParser({ responseTemplate, tools: TOOLS, prompt: '' });
      parser.push(`<c>${'a'.repeat(40)}</c>`);
      parser.end();
    }).toThrow('A pattern of the response_template was stopped: it took longer than 1 s');
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('an anchor that never ends is stopped before the reply', () => {
    const responseTemplate = { start_anchor_pattern: '(a+)+b', fields: { content: { close: '</c>' } } };
    const prompt = 'a'.repeat(40);
    expect(() => createToolParser({ responseTemplate, tools: [], prompt })).toThrow('longer than 1 s');
  });
});
