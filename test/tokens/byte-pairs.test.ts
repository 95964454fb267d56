import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextList } from '../../src/text/text-list.ts';
import { type BytePairOptions, BytePairs } from '../../src/tokens/byte-pairs.ts';
import { MergeTable } from '../../src/tokens/merge-table.ts';
import { readMerges } from '../../src/tokens/read-merges.ts';
import { Vocabulary } from '../../src/tokens/vocabulary.ts';

type Pair = readonly [string, string];

function bytePairs(tokens: readonly string[], merges: readonly unknown[], options: Partial<BytePairOptions>) {
  const vocabulary = new Vocabulary(TextList.of(tokens));
  return new BytePairs(vocabulary, new MergeTable(readMerges(merges, vocabulary)), {
    unknownId: undefined,
    fusesUnknown: false,
    byteFallback: false,
    ignoresMerges: false,
    ...options,
  });
}

/** As the definition says: the best pair of all, one at a time. */
function byDefinition(text: string, merges: readonly Pair[]): string[] {
  const symbols = Array.from(text);
  for (;;) {
    let best = { rank: -1, at: -1 };
    for (let at = 0; at + 1 < symbols.length; at++) {
      const rank = merges.findLastIndex(([left, right]) => left === symbols[at] && right === symbols[at + 1]);
      if (rank >= 0 && (best.rank < 0 || rank < best.rank)) best = { rank, at };
    }
    if (best.rank < 0) return symbols;
    symbols.splice(best.at, 2, `${symbols[best.at]}${symbols[best.at + 1]}`);
  }
}

/** Merges of what is there already, as training finds them. */
const trained = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 30 }).map(choices => {
  const tokens = ['a', 'b', 'é', '🐟'];
  const merges = choices.map(([left, right]): Pair => {
    const pair: Pair = [tokens[left % tokens.length] as string, tokens[right % tokens.length] as string];
    if (!tokens.includes(pair.join(''))) tokens.push(pair.join(''));
    return pair;
  });
  return { tokens, merges };
});

describe('byte-pair encoding', () => {
  it('merges as the definition says', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🐟'), maxLength: 40 });
    fc.assert(
      fc.property(trained, text, ({ tokens, merges }, word) => {
        const expected = byDefinition(word, merges).map(symbol => tokens.indexOf(symbol));
        expect(bytePairs(tokens, merges, {}).encode([word])).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('takes words of any length, one after another', () => {
    const pairs = bytePairs(['a', 'b', 'ab', 'abab'], ['a b', 'ab ab'], {});
    expect(pairs.encode(['', 'ab'.repeat(4001), 'aab'])).toEqual([...Array(2000).fill(3), 2, 0, 2]);
  });

  it('reads merges as texts, as pairs and as a list', () => {
    const tokens = ['a', 'b', 'ab', 'c', 'abc'];
    const texts = ['a b', 'ab c'];
    const ids = [texts, texts.map(text => text.split(' ')), TextList.of(texts)].map(merges =>
      bytePairs(tokens, merges as readonly unknown[], {}).encode(['abc']),
    );
    expect(ids).toEqual([[4], [4], [4]]);
  });

  it('leaves out merges of what is no token, and keeps the others apart from unknown characters', () => {
    const merges = ['a z', 'y y', 'b a', 'a', 'a b'];
    expect(bytePairs(['a', 'b', 'ab', '?'], merges, { unknownId: 3 }).encode(['azyyab'])).toEqual([
      0, 3, 3, 3, 2,
    ]);
  });

  it.each([[['a', 1]], [[['a', 'b'], ['a']]], [[['a', 'b'], 'a b']], [[7]]])('%j are no merges', merges => {
    expect(() => bytePairs(['a', 'b'], merges, {})).toThrow(
      expect.objectContaining({ code: 'MODEL_BROKEN', message: expect.stringContaining('merges') }),
    );
  });

  it('writes unknown characters as bytes, as the unknown token, or not at all', () => {
    const tokens = ['a', '?', '<0xC3>', '<0xA9>'];
    expect(bytePairs(tokens, [], {}).encode(['aéa'])).toEqual([0, 0]);
    expect(bytePairs(tokens, [], { unknownId: 1 }).encode(['aéxa'])).toEqual([0, 1, 1, 0]);
    expect(bytePairs(tokens, [], { unknownId: 1, fusesUnknown: true }).encode(['aéx', 'ya'])).toEqual([
      0, 1, 0,
    ]);
    const fallback = bytePairs(tokens, [], { unknownId: 1, byteFallback: true });
    expect(fallback.encode(['aéè'])).toEqual([0, 2, 3, 1]);
  });

  it('leaves a word whole that is a token, on request', () => {
    expect(bytePairs(['a', 'aa'], [], {}).encode(['aa'])).toEqual([0, 0]);
    expect(bytePairs(['a', 'aa'], [], { ignoresMerges: true }).encode(['aa', 'aaa'])).toEqual([1, 0, 0, 0]);
  });
});
