import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DemandedValue, endsObject } from '../../src/grammar/demanded-value.ts';

/** Tokens with their probabilities; undefined: forced. */
type Tokens = readonly (readonly [text: string, probability: number | undefined])[];

function read(end: string, tokens: Tokens): { probability: number; isOver: boolean; read: number } {
  const value = new DemandedValue(end);
  let read = 0;
  for (const [text, probability] of tokens) {
    if (value.isOver) break;
    value.push(text, probability === undefined ? undefined : Math.log(probability));
    read += 1;
  }
  return { probability: Math.exp(value.logprob), isOver: value.isOver, read };
}

describe('the end of an object', () => {
  test.each(['}', '}}', ' }', '"}', '"}}', '"},', ']}', '"]}', '}}\n', '\n}'])('is %j', text => {
    expect(endsObject(text)).toBe(true);
  });

  test.each(['', ' ', '"', '",', ']', ',', 'a}', '{}', '</'])('is not %j', text => {
    expect(endsObject(text)).toBe(false);
  });
});

describe('a value that was demanded', () => {
  test.each<[string, string, Tokens, number]>([
    [
      'a number',
      '}',
      [
        [',', 0.1],
        [' "b', 0.2],
        ['":', 0.3],
        [' 4', 0.8],
        ['2', 0.5],
        ['}}', 0.1],
      ],
      0.4,
    ],
    [
      'a text',
      '}',
      [
        [', "b":', undefined],
        [' "', 0.9],
        ['New', 0.5],
        [' York', 1],
        ['"', 0.5],
        ['}', 0.1],
      ],
      0.225,
    ],
    [
      'a text with what looks like an end',
      '}',
      [
        ['"b":', 1],
        ['"a, }', 0.5],
        ['\\"', 0.5],
        ['",', 1],
      ],
      0.25,
    ],
    [
      'a list',
      '}',
      [
        ['"b":', 1],
        [' [', 1],
        ['1', 0.5],
        [',', 0.5],
        [' 2', 0.5],
        [']', 1],
        ['}', 0.1],
      ],
      0.125,
    ],
    [
      'an object',
      '}',
      [
        ['"b":', 1],
        [' {"c', 0.5],
        ['": 1', 0.5],
        ['}', 0.5],
        [',', 0.1],
      ],
      0.125,
    ],
    [
      'one that the schema leaves no choice',
      '}',
      [
        ['"b":', 1],
        [' "on"', undefined],
        ['}', 0.1],
      ],
      1,
    ],
    [
      'one behind the end of a text',
      '"}',
      [
        ['", "b":', undefined],
        [' 7', 0.5],
        ['}', 0.1],
      ],
      0.5,
    ],
    [
      'one behind the end of a list of texts',
      '"]}',
      [
        ['"], "b":', undefined],
        [' 7', 0.5],
        ['}', 0.1],
      ],
      0.5,
    ],
    [
      'one in the token of its key',
      '}',
      [
        [', "b": 7', 0.5],
        [',', 0.1],
      ],
      0.5,
    ],
  ])('is as likely as its own tokens together: %s', (_, end, tokens, probability) => {
    expect(read(end, tokens)).toEqual({
      probability: expect.closeTo(probability, 10),
      isOver: true,
      read: tokens.length,
    });
  });

  test('where the object ends after all there is none', () => {
    expect(read('},', [['}', 0.1]])).toEqual({ probability: 1, isOver: true, read: 1 });
  });

  test('however it is cut into tokens, it begins and ends at the same characters', () => {
    const key = fc.string().map(text => JSON.stringify(text));
    fc.assert(
      fc.property(key, fc.json(), fc.array(fc.nat(6), { minLength: 1 }), (name, json, lengths) => {
        const text = `, ${name}: ${json}}`;
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const length = 1 + (lengths[turn % lengths.length] as number);
          pieces.push(text.slice(at, at + length));
          at += length;
        }
        const value = new DemandedValue('}');
        const whole = pieces.findIndex(piece => {
          value.push(piece, -1);
          return value.isOver;
        });
        const [first, last] = [text.length - 1 - json.length, text.length - 2];
        const starts = pieces.map((_, i) => pieces.slice(0, i).join('').length);
        const ofValue = pieces.filter((piece, i) => {
          const from = Math.max(first, starts[i] as number);
          const upTo = Math.min(last + 1, (starts[i] as number) + piece.length);
          return text.slice(from, upTo).trim() !== '' && from < upTo;
        });
        expect(whole).toBe(pieces.length - 1);
        expect(value.logprob).toBe(-ofValue.length);
      }),
    );
  });
});
