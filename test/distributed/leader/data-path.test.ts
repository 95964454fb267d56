import { expect, test } from 'vitest';
import { DataPath } from '../../../src/distributed/leader/machine-group.ts';

const waiting = (sums: number, bytes = 64) => ({ sums, waits: true, bytes });
const computing = (sums: number) => ({ sums, waits: false, bytes: 64 });

/** Looks until it is broken, at most 100 times. */
function looks(at: (look: number) => Parameters<DataPath['look']>[0]): number {
  const path = new DataPath();
  for (let look = 0; look < 100; look++) if (path.look(at(look))) return look;
  return 100;
}

test('all wait and nothing moves: broken after 5 s, however their counts differ', () => {
  expect(looks(() => [waiting(7), waiting(7)])).toBe(5);
  expect(looks(() => [waiting(8), waiting(7), waiting(7)])).toBe(5);
});

test('8 MB have 4 s more', () => {
  expect(looks(() => [waiting(7, 8_000_000), waiting(7, 8_000_000)])).toBe(9);
});

test.each<[string, Parameters<typeof looks>[0]]>([
  ['one that computes', () => [waiting(7), computing(6)]],
  ['one that is silent', () => [waiting(7), undefined]],
  ['sums that go on', look => [waiting(look), waiting(look)]],
  ['one that goes on', look => [waiting(7), waiting(look)]],
  ['a pause every four seconds', look => [waiting(7), look % 4 === 0 ? computing(7) : waiting(7)]],
  ['nothing asked of them', () => [computing(0), computing(0)]],
])('not broken: %s', (_, at) => expect(looks(at)).toBe(100));

test('silent looks do not count, nor do they begin the count anew', () => {
  expect(looks(look => [waiting(7), look % 2 === 0 ? waiting(7) : undefined])).toBe(10);
});
