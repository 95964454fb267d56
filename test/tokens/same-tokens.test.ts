import { expect, test } from 'vitest';
import { differentToken } from '../../src/tokens/same-tokens.ts';

const tokens = (...texts: string[]) => ({
  vocabSize: texts.length,
  decode: ([id = 0]: readonly number[]) => texts[id] ?? '',
  bytesOf: (id: number) => Buffer.from(texts[id] ?? ''),
});

test('the first token that differs is found; without one the tokens are the same', () => {
  expect(differentToken(tokens('a', 'b'), tokens('a', 'b'))).toBeUndefined();
  expect(differentToken(tokens('a', 'b', 'c'), tokens('a', 'x', 'y'))).toBe(1);
});

test('a token that only one has differs', () => {
  expect(differentToken(tokens('a'), tokens('a', 'b'))).toBe(1);
  expect(differentToken(tokens('a', 'b'), tokens('a'))).toBe(1);
  expect(differentToken(tokens(), tokens())).toBeUndefined();
});

test('tokens without bytes are compared by their text', () => {
  const { bytesOf: _bytesOf, ...text } = tokens('a', '<end>');
  expect(differentToken(text, tokens('a', '<end>'))).toBeUndefined();
  expect(differentToken(text, tokens('a', '<start>'))).toBe(1);
});
