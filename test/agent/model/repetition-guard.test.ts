import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RepetitionGuard } from '../../../src/agent/model/early-end.ts';

/** How many tokens pass before the guard fires; Infinity: it does not. */
function firesAfter(tokens: readonly (number | string)[]): number {
  const guard = new RepetitionGuard();
  const at = tokens.findIndex(token => guard.push(token));
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
}

const repeated = <T>(gram: readonly T[], length: number): T[] =>
  Array.from({ length }, (_, index) => gram[index % gram.length] as T);

const text = fc.array(fc.nat(3), { maxLength: 400 });
const gram = fc.array(fc.nat(3), { minLength: 1, maxLength: 30 });

/** The definition, by looking at all of the last 200 tokens. */
function isEndless(tokens: readonly number[]): boolean {
  if (tokens.length < 200) return false;
  const last = tokens.slice(-200);
  for (let period = 3; period <= 30; period++) {
    if (last.slice(period).every((token, index) => token === last[index])) return true;
  }
  return false;
}

describe('the repetition guard', () => {
  test('fires at the 200th token of an n-gram of 1 to 30 tokens, not before', () => {
    fc.assert(fc.property(gram, tokens => firesAfter(repeated(tokens, 500)) === 200));
  });

  test('fires where the definition does, whatever came before', () => {
    const mixed = fc.tuple(text, gram, fc.integer({ min: 0, max: 260 }), text);
    fc.assert(
      fc.property(mixed, ([before, one, length, after]) => {
        const all = [...before, ...repeated(one, length), ...after];
        const expected = all.findIndex((_, index) => isEndless(all.slice(0, index + 1)));
        expect(firesAfter(all)).toBe(expected < 0 ? Number.POSITIVE_INFINITY : expected + 1);
      }),
      { numRuns: 200 },
    );
  });

  test('a longer n-gram than 30 tokens never fires', () => {
    const longer = fc.uniqueArray(fc.nat(1000), { minLength: 31, maxLength: 60 });
    fc.assert(fc.property(longer, tokens => firesAfter(repeated(tokens, 600)) === Number.POSITIVE_INFINITY));
  });

  test.each([
    ['a table of zeros', '| 0 | 0 | 0 | 0 |\n'.repeat(11).slice(0, 199)],
    ['a rule under a heading', '='.repeat(199)],
    ['a numbered list', Array.from({ length: 400 }, (_, index) => `${index + 1}. the same\n`).join('')],
    ['counting', Array.from({ length: 500 }, (_, index) => `${index}, `).join('')],
    ['a matrix of zeros with its diagonal', matrix(40)],
  ])('legitimate: %s', (_name, written) => {
    expect(firesAfter([...written])).toBe(Number.POSITIVE_INFINITY);
  });
});

function matrix(size: number): string {
  const row = (at: number) => Array.from({ length: size }, (_, column) => (column === at ? 1 : 0)).join(' ');
  return Array.from({ length: size }, (_, at) => row(at)).join('\n');
}
