import { describe, expect, test } from 'vitest';
import { CallProtocol } from '../../../src/agent/model/call-protocol.ts';
import { PromptBuilder } from '../../../src/agent/model/prompt-builder.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import { createTokenizer } from '../../../src/tokens/tokenizer.ts';
import type { Tokenizer } from '../../../src/tokens/tokenizer-types.ts';

const BOS = 3;
const VOCAB = { '<unk>': 0, '\u2581': 1, a: 2, '<s>': BOS, '\u2581a': 4 };
const ADDS_BOS = {
  type: 'Sequence',
  processors: [
    { type: 'ByteLevel' },
    {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { '<s>': { id: '<s>', ids: [BOS], tokens: ['<s>'] } },
    },
  ],
};

/** SentencePiece that marks the start of the text alone. */
function tokenizerOf(postProcessor: unknown, config: object = {}): Tokenizer {
  const json = {
    added_tokens: [{ id: BOS, content: '<s>', special: true }],
    pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first' },
    post_processor: postProcessor,
    model: { type: 'BPE', vocab: VOCAB, merges: [['\u2581', 'a']], unk_token: '<unk>' },
  };
  return createTokenizer(json, { bos_token: '<s>', ...config });
}

function idsOf(tokenizer: Tokenizer, text: { chat: string } | { text: string }, source?: string) {
  const compiled = source === undefined ? undefined : compileTemplate(source);
  const template = compiled && source ? { compiled, source, capability: probeTemplate(compiled) } : undefined;
  const parts = { tokenizer, engine: { info: { contextLength: 100 } }, template, now: new Date(0) };
  const builder = new PromptBuilder(parts, new CallProtocol(source ?? '', {}));
  const content = 'chat' in text ? text.chat : '';
  const request = { messages: [{ role: 'user' as const, content }], tools: [] };
  return [...builder.take({ ...request, ...('text' in text && { text: text.text }) }).ids];
}

describe('a text that no template renders begins with BOS', () => {
  test.each([
    ['tokenizer.json adds it', ADDS_BOS, {}, true],
    ['tokenizer.json adds nothing', null, {}, false],
    ['tokenizer.json only moves offsets', { type: 'ByteLevel' }, {}, false],
    ['tokenizer_config.json says so', null, { add_bos_token: true }, true],
    ['tokenizer_config.json says no', ADDS_BOS, { add_bos_token: false }, false],
    ['there is no such token', ADDS_BOS, { bos_token: null }, false],
    ['post_processor is broken', { type: 'TemplateProcessing' }, {}, false],
  ])('if %s', (_, postProcessor, config, adds) => {
    const tokenizer = tokenizerOf(postProcessor, config);
    const expected = adds ? [BOS, 4, 2] : [4, 2];
    expect(tokenizer.addsBos).toBe(adds);
    expect(idsOf(tokenizer, { chat: 'aa' })).toEqual(expected);
    expect(idsOf(tokenizer, { text: 'aa' })).toEqual(expected);
    // The template of a chat writes its own; a text is completed without it.
    expect(idsOf(tokenizer, { text: 'aa' }, '{{ bos_token }}{{ messages[0].content }}')).toEqual(expected);
  });

  test('once, also if it is in the text', () => {
    expect(idsOf(tokenizerOf(ADDS_BOS), { text: '<s>aa' })).toEqual([BOS, 4, 2]);
    expect(idsOf(tokenizerOf(ADDS_BOS), { chat: '<s>' })).toEqual([BOS]);
  });

  test('a chat gets what its template writes', () => {
    const tokenizer = tokenizerOf(ADDS_BOS);
    expect(idsOf(tokenizer, { chat: 'aa' }, '{{ messages[0].content }}')).not.toContain(BOS);
    const written = idsOf(tokenizer, { chat: 'aa' }, '{{ bos_token }}{{ messages[0].content }}');
    expect(written.filter(id => id === BOS)).toEqual([BOS]);
  });
});
