import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenNumbers } from '../../../src/parse/calls/written-numbers.ts';

describe('a number of a call', () => {
  it.each([
    [3.1, '{"version": 3.10}', '3.10'],
    [5, '{"price": 5.00, "name": "5"}', '5.00'],
    [49301, 'call(number=+49301)', '+49301'],
    [2134, "call(zip=02134, city='it\\'s')", '02134'],
    [1000, '{"n": 1e3}', '1e3'],
    [-0.5, '[-.5]', '-.5'],
    // In a text, in several forms, or not there at all.
    [3.1, '{"version": "3.10"}', '3.1'],
    [5, '[5.0, 5]', '5'],
    [7, '', '7'],
    [7, '{"open: 7.0', '7'],
    [12, '"escaped \\" 12.0"', '12'],
  ])('%d in %j is written %j', (value, text, written) => {
    expect(writtenNumbers(text)(value)).toBe(written);
  });

  it('is always written as a text of the same value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), (value, text) => {
        const whole = JSON.stringify([value]) + text;
        // JSON has no negative zero.
        expect(Number(writtenNumbers(whole)(value)) + 0).toBe(value + 0);
      }),
    );
  });

  it.each([
    '"\\'.repeat(200_000),
    `"${'\\"'.repeat(200_000)}`,
    "'".repeat(200_001),
    '1'.repeat(400_000),
    '1e'.repeat(200_000),
    '-.'.repeat(200_000),
  ])('is looked up in a hostile text of 400,000 characters', text => {
    expect(writtenNumbers(text)(5)).toBe('5');
  });
});
