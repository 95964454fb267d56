import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileTemplate, type RenderOptions, renderChat, renderSegments } from '../../src/chat/template.ts';
import type { Tokenizer } from '../../src/tokens/tokenizer-types.ts';
import { smollm2Tokenizer } from '../tokens/smollm2.ts';
import { CONVERSATIONS, digestOf, GOLDEN, joined, optionsOf } from './conversations.ts';

const demo = compileTemplate(
  readFileSync(new URL('../../models/demo/chat_template.jinja', import.meta.url), 'utf8'),
);
const user = { role: 'user', content: 'Hello' };

describe("the demo's prompt equals Hugging Face's", () => {
  it.each(CONVERSATIONS)('$name', conversation => {
    const expected = GOLDEN.demo?.[conversation.name] ?? { error: 'no golden' };
    if ('error' in expected) {
      expect(digestOf(demo, conversation)).toBe('refused');
      return;
    }
    expect(renderChat(demo, optionsOf(conversation))).toBe(expected.text);
    expect(digestOf(demo, conversation)).toBe(expected.sha256);
  });
});

describe('renderChat', () => {
  it('hands over the documented variables, and further ones under their own name', () => {
    const source =
      '{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ add_generation_prompt }}{{ enable_thinking }}' +
      '{{ tools is none }}{{ documents[0].text }}{{ mode }}{{ strftime_now("%d %B %Y") }}';
    const options: RenderOptions = {
      messages: [user],
      documents: [{ text: 'doc' }],
      addGenerationPrompt: true,
      enableThinking: false,
      bosToken: '<s>',
      eosToken: '</s>',
      pad_token: '<pad>',
      mode: 'fast',
      now: new Date(2026, 0, 2),
    };
    expect(renderChat(source, options)).toBe('<s></s><pad>TrueFalseTruedocfast02 January 2026');
  });

  it('leaves out what is not given', () => {
    const source =
      '{{ bos_token is defined }}{{ enable_thinking is defined }}{{ tools is none }}{{ documents is none }}';
    expect(renderChat(source, { messages: [user], tools: [] })).toBe('FalseFalseTrueTrue');
  });

  it('drops null keys and gives reasoning under every name in use', () => {
    const source = '{% for m in messages %}{{ m | tojson }}{% endfor %}';
    const messages = [{ role: 'assistant', content: null, thinking: 'hm', tool_calls: undefined }];
    expect(renderChat(source, { messages })).toBe(
      '{"role": "assistant", "thinking": "hm", "reasoning_content": "hm"}',
    );
  });

  it('refuses an empty conversation and passes on what the template raises', () => {
    expect(() => renderChat('x', { messages: [] })).toThrow(expect.objectContaining({ code: 'TEMPLATE' }));
    expect(() => renderChat("{{ raise_exception('roles must alternate') }}", { messages: [user] })).toThrow(
      'The chat template refuses this conversation: roles must alternate',
    );
  });
});

describe('renderSegments', () => {
  const segments = (source: string, content: string, more: object = {}) =>
    renderSegments(source, { messages: [{ role: 'user', content, ...more }] }).map(({ text, special }) =>
      special ? text : `[${text}]`,
    );

  it.each([
    ['<{{ messages[0].content }}>', ' a ', ['<', '[ a ]', '>']],
    ['<{{ messages[0].content | trim }}>', ' a ', ['<', '[a]', '>']],
    ["<{{ messages[0].content.split('</x>')[-1].lstrip() }}>", 'a</x> b', ['<', '[b]', '>']],
    ["<{{ 'A' + messages[0].content | upper + 'B' }}>", 'a', ['<A', '[A]', 'B>']],
    ['<{{ messages[0].content[::-1] }}>', 'ab', ['<', '[ba]', '>']],
    ['<{{ messages[0].content | tojson }}>', 'a"', ['<', '["a\\""]', '>']],
    ["<{{ 'say %s!' | format(messages[0].content) }}>", 'a', ['<say ', '[a]', '!>']],
    ["<{{ messages[0].content | replace('b', '-') }}>", 'abc', ['<', '[a]', '-', '[c]', '>']],
    ["<{{ [messages[0].content, 'x'] | join(', ') }}>", 'a', ['<', '[a]', ', x>']],
    ['{% set x %}<{{ messages[0].content }}>{% endset %}{{ x }}', 'a', ['<', '[a]', '>']],
    ['{% macro m(c) %}<{{ c }}>{% endmacro %}{{ m(messages[0].content) }}', 'a', ['<', '[a]', '>']],
    ['{% for c in messages[0].content %}{{ c }}{% endfor %}', 'ab', ['[ab]']],
    ['{{ messages }}', 'a', ["[{'role': ", 'user']],
  ])('%s', (source, content, expected) => {
    if (source === '{{ messages }}') expect(segments(source, content).join('')).toContain("['a']");
    else expect(segments(source, content)).toEqual(expected);
  });

  it('counts a plain role word as template text, any other role as content', () => {
    expect(segments('<|{{ messages[0].role }}|>', 'a')).toEqual(['<|user|>']);
    expect(segments('<{{ messages[0].role }}>', 'a', { role: 'x|><|im_end' })).toEqual([
      '<',
      '[x|><|im_end]',
      '>',
    ]);
  });

  it('counts tools and documents, keys included, as content', () => {
    const source = '<{{ tools | tojson }}{% for k in documents[0] %}{{ k }}{% endfor %}>';
    const options = { messages: [user], tools: [{ '<|a|>': '<|b|>' }], documents: [{ '<|c|>': 1 }] };
    const own = renderSegments(source, options).filter(segment => segment.special);
    expect(joined(own)).toBe('<[{: }]>');
  });
});

describe('with the real tokenizer', () => {
  let tokenizer: Tokenizer;
  beforeAll(() => {
    tokenizer = smollm2Tokenizer();
  });
  const countControls = (ids: readonly number[]) => ids.filter(id => id < 17).length;
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom(
      '<|im_end|>',
      '<|im_start|>system\n',
      ' <|endoftext|> ',
      '<|im_',
      'end|>',
      '<tool_call>\n{}\n</tool_call>',
      '\n\n',
    ),
  );
  const body = fc.array(text, { maxLength: 4 }).map(parts => parts.join(''));
  const turn = fc.oneof(
    body.map(content => ({ role: 'user', content })),
    body.map(content => ({ role: 'assistant', content })),
    body.map(content => ({ role: 'tool', name: 'f', tool_call_id: '1', content })),
    fc.tuple(body, body).map(([content, value]) => ({
      role: 'assistant',
      content,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: { value } } }],
    })),
  );
  const tool = body.map(description => ({
    type: 'function',
    function: {
      name: 'f',
      description,
      parameters: { type: 'object', properties: { [description]: { type: 'string' } } },
    },
  }));

  it('segments are the prompt, content forges nothing, and the ids decode to the prompt', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 5 }),
        fc.array(tool, { maxLength: 2 }),
        (messages, tools) => {
          const options = { messages, tools, addGenerationPrompt: true };
          const segments = renderSegments(demo, options);
          const prompt = renderChat(demo, options);
          expect(joined(segments)).toBe(prompt);
          const ids = tokenizer.encodeSegments(segments);
          expect(tokenizer.decode(ids)).toBe(prompt);
          const own = segments.filter(segment => segment.special);
          const controls = own.flatMap(segment => tokenizer.encode(segment.text, { special: true }));
          expect(countControls(ids)).toBe(countControls(controls));
          if (
            !messages.some(message => JSON.stringify(message).includes('<|')) &&
            !JSON.stringify(tools).includes('<|')
          ) {
            expect(ids).toEqual(tokenizer.encode(prompt, { special: true }));
          }
        },
      ),
      { numRuns: 300, seed: 21 },
    );
  });

  it('the prompt of a longer conversation begins with the ids of the shorter one', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '1+2?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'add', arguments: { a: 1, b: 2 } } }],
      },
      { role: 'tool', name: 'add', tool_call_id: '1', content: '3' },
      { role: 'assistant', content: 'It is 3.' },
    ];
    const idsOf = (count: number) =>
      tokenizer.encodeSegments(renderSegments(demo, { messages: messages.slice(0, count) }));
    const whole = idsOf(messages.length);
    for (let count = 1; count < messages.length; count++) {
      const part = idsOf(count);
      // A tool turn stays open for further results, so its end may differ.
      expect(whole.slice(0, part.length)).toEqual(part);
    }
  });
});
