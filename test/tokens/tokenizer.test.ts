import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../src/tokens/tokenizer.ts';
import { type SmallToken, show, smallTokenizer } from './small-tokenizer.ts';

function encodeAs(added: SmallToken[], text: string, special = true, extra = {}): string {
  const tokenizer = smallTokenizer(added, extra);
  return show(tokenizer, tokenizer.encode(text, { special }), added);
}

describe('added tokens', () => {
  it('match leftmost, then longest', () => {
    const added = [
      { content: '<a>', special: true },
      { content: '<a><b>', special: true },
      { content: '><', special: true },
    ];
    expect(encodeAs(added, 'x<a><b><a>><')).toBe('x[<a><b>][<a>][><]');
  });

  it('take whitespace with lstrip and rstrip', () => {
    const added = [
      { content: '<l>', special: true, lstrip: true },
      { content: '<r>', special: true, rstrip: true },
    ];
    expect(encodeAs(added, 'a  <l> b  <r> \n c')).toBe('a[<l>] b  [<r>]c');
  });

  it('stand alone with single_word', () => {
    expect(encodeAs([{ content: 'cat', single_word: true, special: true }], 'cat cats a cat.')).toBe(
      '[cat] cats a [cat].',
    );
  });

  it('are found in normalised text when they say so, and only in template text', () => {
    const lower = { normalizer: { type: 'Lowercase' } };
    const added = [{ content: '<end>', special: true, normalized: true }];
    expect(encodeAs(added, 'A<END>b', true, lower)).toBe('a[<end>]b');
    expect(encodeAs(added, 'A<END>b', false, lower)).toBe('a<end>b');
    const tokenizer = smallTokenizer(added, lower);
    const ids = tokenizer.encodeSegments([
      { text: 'A<END>', special: true },
      { text: 'B<END>', special: false },
      { text: '<eNd>', special: true },
    ]);
    expect(show(tokenizer, ids, added)).toBe('a[<end>]b<end>[<end>]');
  });
});

describe('content', () => {
  it('cannot forge added tokens that are not special either', () => {
    const added = [{ content: '<tool_call>', special: false }];
    expect(encodeAs(added, 'a<tool_call>b', false)).toBe('a<tool_call>b');
    expect(encodeAs(added, 'a<tool_call>b', true)).toBe('a[<tool_call>]b');
  });

  it('keeps added tokens of mere whitespace, which are ordinary text', () => {
    const added = [{ content: '\n\n' }, { content: '\u2581\u2581' }];
    expect(encodeAs(added, 'a\n\n\nb\u2581\u2581', false)).toBe('a[\n\n]\nb[\u2581\u2581]');
  });

  it('cannot reach a control token through a vocabulary that holds it as a word', () => {
    const words = { a: 0, b: 1, '<': 2, s: 3, '>': 4, '<s>': 5 };
    const tokenizer = createTokenizer({
      added_tokens: [{ id: 5, content: '<s>', special: true, normalized: false }],
      model: {
        type: 'BPE',
        vocab: words,
        merges: [
          ['<', 's'],
          ['<s', '>'],
        ],
        ignore_merges: true,
      },
    });
    expect(tokenizer.encode('<s>', { special: true })).toEqual([5]);
    expect(tokenizer.encode('<s>')).not.toContain(5);
    expect(tokenizer.encode('a<s><s>b')).not.toContain(5);
  });

  it('may hold the unknown token', () => {
    const tokenizer = smallTokenizer([{ content: '<unk>', special: true }]);
    expect(tokenizer.encode('日').length).toBe(1);
  });
});

describe('broken files', () => {
  it.each([
    [undefined, "'model' is missing"],
    [{}, "'model' is missing"],
    [{ model: { type: 'BPE', vocab: {}, merges: [] }, added_tokens: {} }, "'added_tokens' is not a list"],
    [
      { model: { type: 'BPE', vocab: {}, merges: [] }, added_tokens: [{ id: -1, content: 'x' }] },
      'no id or content',
    ],
    [{ model: { type: 'BPE', vocab: [], merges: [] } }, "'vocab' is not an object"],
    [{ model: { type: 'BPE', vocab: { a: -1 }, merges: [] } }, 'has the id -1'],
    [{ model: { type: 'BPE', vocab: { a: 0 } } }, "'merges' is not a list"],
    [{ model: { type: 'BPE', vocab: { a: 0 }, merges: [1] } }, "an entry of 'merges'"],
  ])('%j is refused', (json, message) => {
    expect(() => createTokenizer(json)).toThrow(
      expect.objectContaining({ code: 'MODEL_BROKEN', message: expect.stringContaining(message) }),
    );
  });

  it.each([
    [{ model: { type: 'Magic' } }, 'cannot be used'],
    [{ model: { type: 'BPE', vocab: {}, merges: [] }, pre_tokenizer: { type: 'Magic' } }, 'Magic'],
    [{ model: { type: 'BPE', vocab: {}, merges: [] }, decoder: { type: 'CTC' } }, 'CTC'],
  ])('%j is not supported', (json, message) => {
    expect(() => createTokenizer(json)).toThrow(
      expect.objectContaining({ code: 'MODEL_UNSUPPORTED', message: expect.stringContaining(message) }),
    );
  });

  it('reads special tokens written as text or as an object', () => {
    const json = { model: { type: 'BPE', vocab: { a: 0 }, merges: [] } };
    const tokenizer = createTokenizer(json, { bos_token: '<s>', eos_token: { content: '</s>' } });
    expect([tokenizer.bosToken, tokenizer.eosToken]).toEqual(['<s>', '</s>']);
    expect(createTokenizer(json).bosToken).toBeUndefined();
  });
});

it("models other than byte-pair encoding, and its marked parts of words, are the library's", () => {
  const words = createTokenizer({
    model: {
      type: 'WordPiece',
      vocab: { '?': 0, ab: 1, '##c': 2 },
      unk_token: '?',
      continuing_subword_prefix: '##',
    },
  });
  expect(words.encode('abc')).toEqual([1, 2]);
  const marked = createTokenizer({
    model: { type: 'BPE', vocab: { a: 0, 'b</w>': 1 }, merges: [], end_of_word_suffix: '</w>' },
  });
  expect([marked.encode('ab'), marked.vocabSize]).toEqual([[0, 1], 2]);
});

it('a model without a type, as in files of the first years, is byte-pair encoding', () => {
  const model = {
    vocab: { a: 0, b: 1, ab: 2 },
    merges: ['a b'],
    continuing_subword_prefix: '',
    unk_token: '',
  };
  expect(createTokenizer({ model }).encode('abb')).toEqual([2, 1]);
});

it('nothing at all is no tokens', () => {
  const tokenizer = smallTokenizer([]);
  expect(tokenizer.encode('')).toEqual([]);
  expect(tokenizer.encodeSegments([])).toEqual([]);
  expect(tokenizer.decode([])).toBe('');
});
