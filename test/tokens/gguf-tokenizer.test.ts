import { describe, expect, it } from 'vitest';
import { ggufTokenizer } from '../../src/tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../../src/tokens/tokenizer.ts';

const metadata = (changes: Record<string, unknown> = {}) =>
  new Map<string, unknown>(
    Object.entries({
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'smollm',
      'tokenizer.ggml.tokens': ['<end>', 'a', 'b', 'ab', '1', '2', '12', '<call>', 'Ġ'],
      'tokenizer.ggml.merges': ['a b', '1 2'],
      'tokenizer.ggml.token_type': [3, 1, 1, 1, 1, 1, 1, 4, 1],
      'tokenizer.ggml.eos_token_id': 0,
      ...changes,
    }),
  );

function encode(text: string, changes: Record<string, unknown> = {}): number[] {
  const files = ggufTokenizer(metadata(changes));
  return createTokenizer(files.tokenizerJson, files.tokenizerConfig).encode(text, { special: true });
}

/** A text as bytes in the letters of byte-level BPE. */
function letters(text: string): string[] {
  const visible = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  const others = Array.from({ length: 256 }, (_, byte) => byte).filter(byte => !visible(byte));
  return [...Buffer.from(text)].map(byte =>
    String.fromCharCode(visible(byte) ? byte : 256 + others.indexOf(byte)),
  );
}

/** The tokens of the pieces' text, where merges lead from letters to each piece, and from each piece to it and the next. */
function piecesOf(pre: string, pieces: readonly string[]): string[] {
  const tokens = new Set(letters(pieces.join('')));
  const merges = new Set<string>();
  const merge = (left: string, right: string) => {
    merges.add(`${left} ${right}`);
    tokens.add(left + right);
    return left + right;
  };
  const whole = pieces.map(piece => letters(piece).reduce((sum, next) => merge(sum, next)));
  for (const [i, piece] of whole.slice(1).entries()) merge(whole[i] as string, piece);
  const all = ['<end>', ...tokens];
  const ids = encode(pieces.join(''), {
    'tokenizer.ggml.pre': pre,
    'tokenizer.ggml.tokens': all,
    'tokenizer.ggml.merges': [...merges],
    'tokenizer.ggml.token_type': [3, ...new Array(tokens.size).fill(1)],
  });
  const known = new Map(pieces.map((piece, i) => [whole[i], piece]));
  return ids.map(id => known.get(all[id]) ?? `[${all[id]}]`);
}

describe('a GGUF tokenizer', () => {
  it('merges, splits digits, and knows control and user-defined tokens', () => {
    expect(encode('ab12<end>ab<call>')).toEqual([3, 4, 5, 0, 3, 7]);
  });

  it('cuts text as its pre-tokenisation says', () => {
    expect(encode('12', { 'tokenizer.ggml.pre': 'gpt-2' })).toEqual([6]);
    expect(encode('12', { 'tokenizer.ggml.pre': 'llama-bpe' })).toEqual([6]);
    expect(encode('12', { 'tokenizer.ggml.pre': 'qwen2' })).toEqual([4, 5]);
  });

  // What the Rust library's Split gives for llama.cpp's expressions.
  const LLAMA_3 = [
    'XMLParser',
    ' isn',
    "'t",
    ' HELLO',
    "'S",
    ' ',
    '123',
    '45',
    ' a',
    '/b',
    '//\n',
    ' ',
    ' ok',
  ];
  const QWEN_2 = ['XMLParser', ' isn', "'t", ' HELLO', "'S", ' ', ...'12345', ' a', '/b', '//\n', ' ', ' ok'];
  it.each([
    ['qwen2', QWEN_2],
    // That of DeepSeek's distilled Qwen 2.5.
    ['deepseek-r1-qwen', QWEN_2],
    ['llama-bpe', LLAMA_3],
    ['llama3', LLAMA_3],
    ['llama-v3', LLAMA_3],
    ['falcon3', LLAMA_3],
    ['lfm2', LLAMA_3],
    ['falcon-h1', LLAMA_3],
    ['pixtral', LLAMA_3],
    ['smaug-bpe', LLAMA_3],
    ['gpt-4o', ['XMLParser', " isn't", " HELLO'S", ' ', '123', '45', ' a', '/b', '//\n', ' ', ' ok']],
    ['tekken', ['XMLParser', ' isn', "'t", ' HELLO', "'S", ' ', ...'12345', ' a', '/b', '//\n', ' ', ' ok']],
    ['qwen35', ['XMLParser', ' isn', "'t", ' HELLO', "'S", ' ', ...'12345', ' a', '/b', '//\n', ' ', ' ok']],
    [
      'deepseek-v3',
      ['.XMLParser', ' isn', "'t", ' ', '123', '45', ' a', '/b', ' //\n', ' ', ' ok', '漢字', 'é'],
    ],
    ['gpt-4o', ['camel', 'Case', ' नमस्ते', ' ', ' ok']],
    ['qwen35', [' é', ' नमस्ते']],
    ['tekken', ['camel', 'Case', ' नमस्ते']],
  ])('%s cuts %j', (pre, pieces) => {
    expect(piecesOf(pre, pieces)).toEqual(pieces);
  });

  const GEMMA_4 = {
    'tokenizer.ggml.model': 'gemma4',
    'tokenizer.ggml.tokens': [
      '<end>',
      '▁',
      'a',
      'b',
      '▁a',
      '▁ab',
      'ab',
      '<0xC3>',
      '<0xA9>',
      '<call>',
      '\n',
      '\n\n',
    ],
    'tokenizer.ggml.merges': ['▁ a', '▁a b', 'a b', '\n \n'],
    'tokenizer.ggml.token_type': [3, 1, 1, 1, 1, 1, 1, 6, 6, 4, 1, 1],
    'tokenizer.ggml.add_space_prefix': false,
  };

  it("reads Gemma 4's: SentencePiece whose merges are in the file", () => {
    expect(encode('ab ab é<call>\n\n\n', GEMMA_4)).toEqual([6, 5, 1, 7, 8, 9, 11, 10]);
    const { tokenizerJson, tokenizerConfig } = ggufTokenizer(metadata(GEMMA_4));
    expect(createTokenizer(tokenizerJson, tokenizerConfig).decode([6, 5, 1, 7, 8])).toBe('ab ab é');
    const broken = { ...GEMMA_4, 'tokenizer.ggml.merges': undefined };
    expect(() => ggufTokenizer(metadata(broken))).toThrow(expect.objectContaining({ code: 'MODEL_BROKEN' }));
  });

  it('takes token types as a typed array, and numbers as bigint', () => {
    const types = Int32Array.from([3, 1, 1, 1, 1, 1, 1, 4, 1]);
    expect(encode('<call>', { 'tokenizer.ggml.token_type': types })).toEqual([7]);
    const files = ggufTokenizer(metadata({ 'tokenizer.ggml.eos_token_id': 0n }));
    expect(files.tokenizerConfig).toMatchObject({ eos_token: '<end>', bos_token: undefined });
  });

  it.each([
    ['as the file says', { ...GEMMA_4, 'tokenizer.ggml.add_bos_token': false }, false],
    ['as the file says', { 'tokenizer.ggml.add_bos_token': true }, true],
    ["by llama.cpp's default for SentencePiece", GEMMA_4, true],
    ["by llama.cpp's default for Llama 3", { 'tokenizer.ggml.pre': 'llama-bpe' }, true],
    ["by llama.cpp's default for others", { 'tokenizer.ggml.pre': 'qwen2' }, false],
  ])('begins texts with BOS %s', (_, changes, adds) => {
    const files = ggufTokenizer(metadata({ ...changes, 'tokenizer.ggml.bos_token_id': 0 }));
    expect(createTokenizer(files.tokenizerJson, files.tokenizerConfig).addsBos).toBe(adds);
  });

  it.each([
    ['tokenizer.ggml.model', 'bert'],
    ['tokenizer.ggml.model', undefined],
    ['tokenizer.ggml.pre', 'viking'],
    ['tokenizer.ggml.pre', undefined],
    ['tokenizer.ggml.pre', 'constructor'],
  ])('%s = %s is not supported, and is named', (key, value) => {
    expect(() => ggufTokenizer(metadata({ [key]: value }))).toThrow(
      expect.objectContaining({ code: 'MODEL_UNSUPPORTED', message: expect.stringContaining(key) }),
    );
  });

  it.each([
    ['tokenizer.ggml.tokens', undefined],
    ['tokenizer.ggml.tokens', []],
    ['tokenizer.ggml.tokens', [1, 2]],
    ['tokenizer.ggml.merges', 'a b'],
    ['tokenizer.ggml.token_type', [1]],
    ['tokenizer.ggml.token_type', undefined],
  ])('%s = %j is broken', (key, value) => {
    expect(() => ggufTokenizer(metadata({ [key]: value }))).toThrow(
      expect.objectContaining({ code: 'MODEL_BROKEN', message: expect.stringContaining(key) }),
    );
  });
});
