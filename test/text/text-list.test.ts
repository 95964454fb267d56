import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextList, TextListBuilder } from '../../src/text/text-list.ts';

/** Of one to four bytes. */
const LETTERS = fc.constantFrom('a', 'b', '\0', 'é', '漢', '🐟');

function listOf(...parts: readonly (readonly number[])[]): TextList {
  const builder = new TextListBuilder();
  for (const bytes of parts) builder.add(Buffer.from(bytes), 0, bytes.length);
  return builder.build();
}

describe('a text list', () => {
  it('gives back what was put in', () => {
    const texts = fc.array(fc.string({ unit: LETTERS }), { maxLength: 600 });
    fc.assert(
      fc.property(texts, words => {
        const list = TextList.of(words);
        expect([...list]).toEqual(words);
        expect(list.length).toBe(words.length);
      }),
      { numRuns: 20 },
    );
  });

  it('finds the first place of a text', () => {
    const list = TextList.of(['a', 'é', '', 'é']);
    expect(['a', 'é', '', 'ab', 'x'].map(text => list.indexOf(text))).toEqual([0, 1, 2, -1, -1]);
  });

  it('has nothing outside of itself', () => {
    const list = TextList.of(['a']);
    expect([list.at(-1), list.at(1), list.at(Number.NaN), TextList.of([]).at(0)]).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('replaces what is no UTF-8 in each text, though halves of a character stand side by side', () => {
    expect([...listOf([0x61, 0xff], [0x62])]).toEqual(['a\ufffd', 'b']);
    expect([...listOf([0xc3], [0xa9], [0x63])]).toEqual(['\ufffd', '\ufffd', 'c']);
  });
});
