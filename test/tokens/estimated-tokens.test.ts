import { expect, test } from 'vitest';
import { estimatedTokens, toldTokens } from '../../src/tokens/estimated-tokens.ts';
import type { PromptSegment } from '../../src/tokens/tokenizer-types.ts';

/** A token for every four units, and how many units were asked for. */
function quarters() {
  let units = 0;
  return {
    encodeSegments: (segments: readonly PromptSegment[]) => {
      const length = segments.reduce((sum, { text }) => sum + text.length, 0);
      units += length;
      return Array.from({ length: Math.ceil(length / 4) }, () => 0);
    },
    units: () => units,
  };
}

const text = (length: number): PromptSegment[] => [
  { text: '<user>', special: true },
  { text: 'x'.repeat(length), special: false },
];

test.each([
  ['a prompt that may fit is left to be tokenized', 15_000, undefined, 0],
  ['one that is four times too long is estimated', 16_500, 4127, 16_390],
  ['ten megabytes are estimated from their beginning', 10_000_000, 2_500_000, 16_390],
])('%s', (_, length, expected, read) => {
  const tokenizer = quarters();
  const tokens = estimatedTokens(tokenizer, text(length), 1000);
  expect(tokens && Number(tokens.toPrecision(3))).toBe(expected && Number(expected.toPrecision(3)));
  expect(tokenizer.units()).toBe(read);
});

test('text that is nothing but white space of few tokens is tokenized after all', () => {
  const one = { encodeSegments: () => [0] };
  expect(estimatedTokens(one, text(10_000_000), 1000)).toBeUndefined();
});

test('an estimate is told as such', () => {
  expect([toldTokens(1200, 1000), toldTokens(1_859_395, 1000)]).toEqual(['1200', 'about 1900000']);
});
