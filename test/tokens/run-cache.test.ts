import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunCache } from '../../src/tokens/run-cache.ts';

const codes = (text: string, atStart: boolean) => [
  Number(atStart),
  ...Array.from(text, character => character.codePointAt(0) as number),
];

test('a run is encoded once, and once more at the start of its text', () => {
  const cache = new RunCache(1000);
  const run = 'what was said before '.repeat(5);
  let calls = 0;
  const ids = (atStart: boolean) =>
    Array.from(
      cache.ids(run, atStart, () => {
        calls += 1;
        return codes(run, atStart);
      }),
    );
  for (const atStart of [false, true, false, true]) expect(ids(atStart)).toEqual(codes(run, atStart));
  expect(calls).toBe(2);
});

test('the run used longest ago goes first', () => {
  const cache = new RunCache(350);
  const run = (letter: string) => letter.repeat(100);
  const encoded: string[] = [];
  const use = (letter: string) =>
    cache.ids(run(letter), false, () => {
      encoded.push(letter);
      return [];
    });
  for (const letter of 'abcadb') use(letter);
  // d pushed b out, as a had been used again; b then pushed c out.
  for (const letter of 'adbc') use(letter);
  expect(encoded.join('')).toBe('abcdbc');
});

test('whatever comes in whatever order has its own ids', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ minLength: 60, maxLength: 70 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.boolean(), fc.nat(2)), { maxLength: 30 }), uses => {
      const cache = new RunCache(300);
      const found = uses.flatMap(([run, atStart, again]) =>
        Array.from({ length: again + 1 }, () =>
          Array.from(cache.ids(run, atStart, () => codes(run, atStart))),
        ),
      );
      const wanted = uses.flatMap(([run, atStart, again]) =>
        Array.from({ length: again + 1 }, () => codes(run, atStart)),
      );
      expect(JSON.stringify(found)).toBe(JSON.stringify(wanted));
    }),
  );
});
