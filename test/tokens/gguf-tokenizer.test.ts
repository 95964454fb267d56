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

describe('a GGUF tokenizer', () => {
  it('merges, splits digits, and knows control and user-defined tokens', () => {
    expect(encode('ab12<end>ab<call>')).toEqual([3, 4, 5, 0, 3, 7]);
  });

  it('cuts text as its pre-tokenisation says', () => {
    expect(encode('12', { 'tokenizer.ggml.pre': 'gpt-2' })).toEqual([6]);
    expect(encode('12', { 'tokenizer.ggml.pre': 'llama-bpe' })).toEqual([6]);
    expect(encode('12', { 'tokenizer.ggml.pre': 'qwen2' })).toEqual([4, 5]);
  });

  it('takes token types as a typed array, and numbers as bigint', () => {
    const types = Int32Array.from([3, 1, 1, 1, 1, 1, 1, 4, 1]);
    expect(encode('<call>', { 'tokenizer.ggml.token_type': types })).toEqual([7]);
    const files = ggufTokenizer(metadata({ 'tokenizer.ggml.eos_token_id': 0n }));
    expect(files.tokenizerConfig).toMatchObject({ eos_token: '<end>', bos_token: undefined });
  });

  it.each([
    ['tokenizer.ggml.model', 'bert'],
    ['tokenizer.ggml.model', undefined],
    ['tokenizer.ggml.pre', 'tekken'],
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
