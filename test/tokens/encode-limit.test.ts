import { describe, expect, it } from 'vitest';
import { threadCpuMs } from '../../src/text/thread-cpu.ts';
import { smallTokenizer } from './small-tokenizer.ts';

const split = (Regex: string) => ({
  pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
});
const replace = (Regex: string) => ({
  normalizer: { type: 'Replace', pattern: { Regex }, content: '-' },
});

describe('patterns of a model folder that never end', () => {
  it.each([
    ['pre-tokenizer', split('^(a+)+$')],
    ['pre-tokenizer, with a lookahead', split('(?=(a+)+$)')],
    ['normalizer', replace('^(a|a)*$')],
  ])('%s: encoding is stopped with its reason', (_, extra) => {
    const tokenizer = smallTokenizer([], extra);
    const begun = threadCpuMs() ?? 0;
    expect(() => tokenizer.encode(`${'a'.repeat(40)}!`)).toThrow(
      /The tokenizer was stopped: it took longer than 2\.\d+ s for 41 characters/,
    );
    // Where other threads have the processor it starts over, for three times the limit in all.
    expect((threadCpuMs() ?? 0) - begun).toBeLessThan(3.2 * 2000);
    expect(tokenizer.encode('b')).toHaveLength(1);
  });

  it('added tokens that are normalized: the tokenizer does not load', () => {
    const token = { content: `${'a'.repeat(40)}!`, normalized: true };
    expect(() => smallTokenizer([token], replace('^(a+)+$'))).toThrow('The tokenizer was stopped');
  });
});

describe('steps that make text longer and longer', () => {
  const doubling = (type: string) =>
    Array.from({ length: 40 }, () => ({ type, pattern: { Regex: 'a' }, content: 'aa' }));

  it.each([
    ['normalizer', { normalizer: { type: 'Sequence', normalizers: doubling('Replace') } }],
    ['pre-tokenizer', { pre_tokenizer: { type: 'Sequence', pretokenizers: doubling('Replace') } }],
  ])('%s: stopped before it takes the memory', (_, extra) => {
    const tokenizer = smallTokenizer([], extra);
    const before = process.memoryUsage().rss;
    expect(() => tokenizer.encode('aaaa')).toThrow('makes text more than 8 times as long');
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    expect(tokenizer.encode('b')).toHaveLength(1);
  });

  it('a replacement of a megabyte does not load', () => {
    const normalizer = { type: 'Replace', pattern: { String: 'a' }, content: 'b'.repeat(1 << 20) };
    expect(() => smallTokenizer([], { normalizer })).toThrow('a replacement is longer than 64 characters');
  });
});

const LETTERS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+";
const REST = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

describe('published patterns stay far below the limit', () => {
  it.each([
    ['gpt-2', "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"],
    ['llama-3', `${LETTERS}|\\p{N}{1,3}|${REST}`],
    ['qwen', `${LETTERS}|\\p{N}|${REST}`],
  ])('%s', (_, pattern) => {
    const tokenizer = smallTokenizer([], split(pattern));
    const texts = ['a', ' ', '7', '!', '\n', ' \n', 'a ', "'s"].map(part => part.repeat(20_000));
    for (const text of texts) expect(tokenizer.encode(text)).toHaveLength(text.length);
  });
});
