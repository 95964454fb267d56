import { describe, expect, it } from 'vitest';
import { TimeLimitError, withinTime } from '../../src/text/time-limit.ts';

describe('withinTime', () => {
  it('gives the result, and the error of the work as it was thrown', () => {
    expect(withinTime(1000, () => [1, 2])).toEqual([1, 2]);
    const own = new RangeError('own');
    let caught: unknown;
    try {
      withinTime(1000, () => {
        throw own;
      });
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(own);
  });

  it.each([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a backtracking match', () => /^(a+)+$/.test(`${'a'.repeat(40)}!`)],
    [
      'a loop that catches',
      () => {
        for (;;)
          try {
            throw new Error('again');
          } catch {}
      },
    ],
  ])('stops %s', (_, work) => {
    const begun = performance.now();
    expect(() => withinTime(50, work as () => unknown)).toThrow(TimeLimitError);
    expect(performance.now() - begun).toBeLessThan(1500);
    expect(withinTime(50, () => 'usable again')).toBe('usable again');
  });

  it('the outer limit holds inside', () => {
    expect(() =>
      withinTime(50, () =>
        withinTime(10_000, () => {
          for (;;);
        }),
      ),
    ).toThrow('longer than 0.05 s');
  });
});
