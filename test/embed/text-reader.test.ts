import { expect, it } from 'vitest';
import { TextReader } from '../../src/embed/text-reader.ts';
import { specialFrame } from '../../src/tokens/special-frame.ts';
import { tokenizer } from '../serve/scripted.ts';

const frame = specialFrame({ post_processor: { type: 'BertProcessing', cls: ['[', 91], sep: [']', 93] } });
const textOf = ({ ids }: { ids: readonly number[] }) => tokenizer.decode(ids);

/** A tokenizer that notes how much it was given. */
function reading(maxTokens: number) {
  const given: number[] = [];
  const noting = {
    ...tokenizer,
    encode: (text: string) => {
      given.push(text.length);
      return tokenizer.encode(text);
    },
  };
  return { reader: new TextReader(noting, frame, maxTokens), given };
}

it('special tokens around a text, which is cut to what fits', () => {
  const { reader } = reading(6);
  expect(textOf(reader.read('abc'))).toBe('[abc]');
  expect(textOf(reader.read(''))).toBe('[]');
  expect(textOf(reader.read('abcd'))).toBe('[abcd]');
  expect(textOf(reader.read('abcdefgh'))).toBe('[abcd]');
  expect(textOf(reader.read([97, 98, 99, 100, 101]))).toBe('[abcd]');
});

it('a text that is too long is refused where it is not to be cut', () => {
  const { reader } = reading(6);
  expect(textOf(reader.read('abcd', { truncate: false }))).toBe('[abcd]');
  const read = () => reader.read('abcde', { truncate: false, name: 'input[2]' });
  expect(read).toThrow('input[2] has more than the 6 tokens that the model reads');
  expect(read).toThrow(expect.objectContaining({ code: 'CONTEXT_FULL' }));
});

it('of a text of many megabytes only the start is tokenized', () => {
  const { reader, given } = reading(100);
  const text = 'x'.repeat(50_000_000);
  expect(reader.read(text).ids).toHaveLength(100);
  expect(given.reduce((sum, length) => sum + length, 0)).toBeLessThan(10_000);
});

it('more of it where its start has few tokens', () => {
  const spaces = { ...tokenizer, encode: (text: string) => tokenizer.encode(text.replaceAll(' ', '')) };
  const reader = new TextReader(spaces, frame, 8);
  expect(textOf(reader.read(`${' '.repeat(100_000)}abc`))).toBe('[abc]');
  expect(textOf(reader.read(`a${' '.repeat(1000)}bcdefghijkl`))).toBe('[abcdef]');
});

it('a pair: the longer one is cut first, then both', () => {
  const { reader } = reading(11);
  expect(textOf(reader.readPair('abc', 'defgh'))).toBe('[abc]defgh]');
  expect(textOf(reader.readPair('ab', 'cdefghijk'))).toBe('[ab]cdefgh]');
  expect(textOf(reader.readPair('abcdefghij', 'kl'))).toBe('[abcdef]kl]');
  expect(textOf(reader.readPair('abcdefgh', 'ijklmnop'))).toBe('[abcd]ijkl]');
  expect(textOf(reading(12).reader.readPair('abcdefgh', 'ijklmnopq'))).toBe('[abcd]ijklm]');
  expect(textOf(reading(12).reader.readPair('abcdefghi', 'jklmnopq'))).toBe('[abcde]jklm]');
  expect(reader.readPair('abc', 'de').types).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
});

it('tokens that the model does not have, and none at all', () => {
  const { reader } = reading(6);
  for (const id of [-1, 0x110000, 1.5, Number.NaN])
    expect(() => reader.read([97, id], { name: 'input[0]' })).toThrow(
      `input[0]: the model has no token ${id}`,
    );
  const bare = new TextReader(tokenizer, specialFrame({}), 6);
  expect(() => bare.read('')).toThrow('the text has no tokens');
});
