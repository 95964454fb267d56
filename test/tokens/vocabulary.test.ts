import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextList } from '../../src/text/text-list.ts';
import { Vocabulary } from '../../src/tokens/vocabulary.ts';

/** Of one to four bytes. */
const LETTERS = fc.constantFrom('a', 'b', '\0', 'é', '漢', '🐟');

describe('a vocabulary', () => {
  it('finds what a map finds', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: LETTERS, maxLength: 4 })), fc.string(), (tokens, other) => {
        const vocabulary = new Vocabulary(TextList.of(tokens));
        const ids = new Map(tokens.map((token, id) => [token, id]));
        const asked = [...tokens, other];
        expect(asked.map(token => vocabulary.idOf(token))).toEqual(asked.map(token => ids.get(token)));
        expect(tokens.map((_, id) => vocabulary.textOf(id))).toEqual(tokens);
      }),
    );
  });

  it('takes ids in any order, with gaps, which are no tokens', () => {
    const ids = new Map([
      ['b', 4],
      ['', 2],
      ['a', 0],
    ]);
    const vocabulary = Vocabulary.ofIds(ids.keys(), token => ids.get(token));
    expect(vocabulary.size).toBe(5);
    expect([0, 1, 2, 3, 4, 5].map(id => vocabulary.textOf(id))).toEqual([
      'a',
      undefined,
      '',
      undefined,
      'b',
      undefined,
    ]);
    expect(['a', 'b', '', 'c'].map(token => vocabulary.idOf(token))).toEqual([0, 4, 2, undefined]);
  });

  it.each([-1, 0.5, 2 ** 24, '1', null])('%j is no id', id => {
    expect(() => Vocabulary.ofIds(['a'], () => id)).toThrow(
      expect.objectContaining({ code: 'MODEL_BROKEN', message: expect.stringContaining(String(id)) }),
    );
  });
});

it('a token that is not text is refused, whatever model lists it', () => {
  expect(() => Vocabulary.ofIds([{ a: 1 }], () => 0)).toThrow(/a token of 'vocab' is \{"a":1\}, not text/);
});
