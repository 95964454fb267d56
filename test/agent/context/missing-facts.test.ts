import fc from 'fast-check';
import { expect, test } from 'vitest';
import { missingFacts } from '../../../src/agent/context/missing-facts.ts';

const factsOf = (content: string) => missingFacts([{ role: 'user', content }], '');

test('names, numbers and paths', () => {
  expect(factsOf('Ask Mary Miller for the 4.2 kg of src/foo/bar.ts, a-b.c_d.md and é.ts')).toEqual([
    '4.2',
    'Mary Miller',
    'foo/bar.ts',
    'c_d.md',
  ]);
});

/** Its work grows with the square of a word's length. */
const PATH = /(?:[\w.-]*\/)?[\w-]+\.[a-z]{1,5}\b/g;

test('paths are found as by the plain pattern', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aab../-_ é,'), maxLength: 60 });
  fc.assert(
    fc.property(text, written => {
      expect(factsOf(written)).toEqual([...new Set(written.match(PATH))]);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['a word without end', 'a'],
  ['a path without end', 'a/'],
  ['names in a row', 'a.'],
  ['dots', '.'],
  ['digits', '1'],
  ['numbers', '1.'],
  ['numbers and letters', '1.1a'],
  ['capitals', 'A b '],
])('%s: work that grows with its length', (_what, part) => {
  const long = part.repeat(80_000 / part.length);
  const before = process.cpuUsage();
  factsOf(long);
  factsOf(`${long}é`);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(200);
});
