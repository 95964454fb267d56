import { describe, expect, it } from 'vitest';
import { threadCpuMs } from '../../src/text/thread-cpu.ts';
import { TimeLimitError, withinTime, withinWork } from '../../src/text/time-limit.ts';

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
    expect(withinTime(5000, () => 'usable again')).toBe('usable again');
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

/** Waits without using the processor, as a thread does on a busy machine. */
const waitFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const burn = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

describe.skipIf(threadCpuMs() === undefined)('withinWork (needs the CPU time of a thread)', () => {
  it('counts what the thread has computed, not what it has waited', () => {
    const before = threadCpuMs() as number;
    waitFor(200);
    expect((threadCpuMs() as number) - before).toBeLessThan(100);
    burn(200);
    expect((threadCpuMs() as number) - before).toBeGreaterThan(10);
  });

  it('lets work go on that has only waited', () => {
    let runs = 0;
    const result = withinWork(50, () => {
      runs += 1;
      waitFor(runs === 1 ? 10_000 : 1);
      return 'done';
    });
    expect([result, runs]).toEqual(['done', 2]);
  });

  it('stops work that computes, and work that waits for ever', () => {
    let runs = 0;
    const stopped = () =>
      withinWork(50, () => {
        runs += 1;
        for (;;);
      });
    expect(stopped).toThrow('longer than 0.05 s');
    // More than once only if other programs had the processor.
    expect(runs).toBeLessThan(10);
    const begun = performance.now();
    expect(() => withinWork(50, () => waitFor(60_000))).toThrow(TimeLimitError);
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('throws what the work throws, once', () => {
    let runs = 0;
    expect(() =>
      withinWork(50, () => {
        runs += 1;
        throw new RangeError('own');
      }),
    ).toThrow(RangeError);
    expect(runs).toBe(1);
  });
});
