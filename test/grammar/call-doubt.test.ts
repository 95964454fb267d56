import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallDoubt } from '../../src/grammar/call-doubt.ts';

/** Tokens with their probabilities; undefined: not the model's free choice. */
type Tokens = readonly (readonly [text: string, probability: number | undefined])[];

const OPEN: Tokens = [
  ['\n{"name": "book"', 0.01],
  [', "arguments": {"', 0.01],
];
const CLOSE: Tokens = [
  ['}', 0.01],
  ['}\n', 0.01],
  ['</tool_call>', 0.01],
];

function isRaised(confidence: number, depth: number, tokens: Tokens): boolean {
  const doubt = new CallDoubt(confidence, depth);
  for (const [text, probability] of tokens)
    doubt.push(text, probability === undefined ? undefined : Math.log(probability));
  return doubt.isRaised;
}

describe('a call is in doubt if a value is less likely than', () => {
  test.each<[string, Tokens, number]>([
    [
      'a number',
      [
        ['b":', 0.1],
        [' 4', 0.8],
        ['2', 0.5],
      ],
      0.4,
    ],
    [
      'a text',
      [
        ['b":', 0.1],
        [' "', 0.9],
        ['New', 0.5],
        [' York', 1],
        ['"', 0.5],
      ],
      0.225,
    ],
    [
      'a text with what looks like an end',
      [
        ['b":', 1],
        [' "a, }]', 0.5],
        ['\\"', 0.5],
        ['"', 1],
      ],
      0.25,
    ],
    [
      'a text with a backslash at its end',
      [
        ['b":', 1],
        [' "\\\\"', 0.5],
      ],
      0.5,
    ],
    [
      'one of a list, each by itself',
      [
        ['b":', 1],
        [' [', 0.1],
        ['1', 0.5],
        [',', 0.1],
        [' 2', 0.6],
        [']', 0.1],
      ],
      0.5,
    ],
    [
      'one in an object',
      [
        ['b":', 1],
        [' {"', 0.1],
        ['c":', 0.1],
        [' true', 0.5],
        ['}', 0.1],
      ],
      0.5,
    ],
    ['one in a token of its own key', [['b": 7', 0.5]], 0.5],
    [
      'one whose token ends it and begins the next key',
      [
        ['b":', 1],
        [' "', 1],
        ['x', 0.8],
        ['", "', 0.5],
        ['c": 1', 1],
      ],
      0.4,
    ],
    [
      'the least likely of several',
      [
        ['a":', 1],
        [' 1', 0.9],
        [', "b":', 0.1],
        [' null', 0.5],
        [', "c":', 0.1],
        [' 3', 0.7],
      ],
      0.5,
    ],
  ])('%s', (_, tokens, probability) => {
    for (const [confidence, raised] of [
      [probability + 0.01, true],
      [probability - 0.01, false],
    ] as const)
      expect(isRaised(confidence, 2, [...OPEN, ...tokens, ...CLOSE])).toBe(raised);
  });

  test.each<[string, Tokens]>([
    [
      'the name of the tool, and what else is around the arguments',
      [
        ['a": 1', 1],
        ['}, "id": "x7', 0.01],
        ['"', 0.01],
      ],
    ],
    [
      'names of arguments',
      [
        ['some', 0.01],
        ['_key', 0.01],
        ['":', 0.01],
        [' 1', 1],
      ],
    ],
    [
      'what had to be',
      [
        ['a":', 1],
        [' "', 1],
        ['on', undefined],
        ['"', undefined],
      ],
    ],
    [
      'a text of more than twelve tokens',
      [['a":', 1], [' "', 1], ...Array<readonly [string, number]>(12).fill(['x', 0.1]), ['"', 1]],
    ],
    ['nothing at all', [['"', 1]]],
    [
      'a list and an object without values',
      [
        ['a": [', 0.01],
        ['], "b": {', 0.01],
        ['}', 0.01],
      ],
    ],
  ])('but not for %s', (_, tokens) => {
    expect(isRaised(0.6, 2, [...OPEN, ...tokens, ...CLOSE])).toBe(false);
  });

  test('where nothing but the arguments is JSON, one object is around them', () => {
    const tokens: Tokens = [
      [' commentary json', 0.01],
      ['{"a":', 0.01],
      [' 1', 0.5],
      ['}', 0.01],
    ];
    expect([isRaised(0.6, 1, tokens), isRaised(0.6, 2, tokens)]).toEqual([true, false]);
  });

  test('before the value is whole nothing is', () => {
    expect(isRaised(0.6, 2, [...OPEN, ['a":', 1], [' "', 1], ['x', 0.1]])).toBe(false);
  });

  test('however the JSON is cut into tokens, what is in doubt is the one unlikely value', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const args = fc.dictionary(fc.string(), fc.oneof(value, fc.array(value)));
    fc.assert(
      fc.property(args, args, fc.array(fc.nat(4), { minLength: 1 }), (before, behind, lengths) => {
        const text = (values: object) => JSON.stringify({ name: 'x', arguments: values });
        const tokensOf = (written: string, unlikely: string): Tokens => {
          const tokens: [string, number][] = [];
          for (let at = 0, turn = 0; at < written.length; turn++) {
            const piece = written.slice(at, at + 1 + (lengths[turn % lengths.length] as number));
            const [from, upTo] = [written.indexOf(unlikely), written.indexOf(unlikely) + unlikely.length];
            const touches = from >= 0 && at < upTo && at + piece.length > from;
            tokens.push([piece, touches ? 0.1 : 1]);
            at += piece.length;
          }
          return tokens;
        };
        const mark = 'unlikely';
        fc.pre(!JSON.stringify([before, behind]).includes(mark));
        expect(isRaised(0.6, 2, tokensOf(text({ ...before, ...behind }), mark))).toBe(false);
        expect(
          isRaised(0.6, 2, tokensOf(text({ ...before, [`${mark}!`]: mark, ...behind }), `"${mark}"`)),
        ).toBe(true);
      }),
    );
  });
});
