import { describe, expect, test } from 'vitest';
import { answerFault } from '../../../src/bench/tools/score.ts';
import type { Expected, ParameterType } from '../../../src/bench/tools/tool-case.ts';
import { Float, readTypedJson, sameValue, typeOf } from '../../../src/bench/tools/typed-values.ts';

/** A tool `f` with one argument `x` of this type and these accepted values. */
function expecting({ type, itemType }: ParameterType, accepted: readonly unknown[]): Expected {
  const signature = { parameters: new Map([['x', { type, itemType }]]), required: [] };
  return {
    kind: 'calls',
    signatures: new Map([['f', signature]]),
    calls: [{ name: 'f', arguments: { x: accepted } }],
  };
}

const called = (x: unknown) => [{ name: 'f', arguments: { x } }];

describe('one argument', () => {
  test.each<[string, string | undefined, readonly unknown[], unknown, string | undefined]>([
    // type, type of its items, accepted, given, fault
    ['string', undefined, ['New York, NY'], 'new york ny', undefined],
    ['string', undefined, ["the 'best'"], 'The "best"', undefined],
    ['string', undefined, ['Paris'], 'Rome', 'wrong value'],
    ['string', undefined, ['5'], 5, 'wrong type'],
    ['integer', undefined, [5], 5, undefined],
    ['integer', undefined, [5], 5.5, 'wrong type'],
    ['integer', undefined, [5], '5', 'wrong type'],
    ['integer', undefined, [5, 6], 7, 'wrong value'],
    ['number', undefined, [5, new Float(5)], 5, undefined],
    ['number', undefined, [0.5], 0.5, undefined],
    ['boolean', undefined, [true], true, undefined],
    ['boolean', undefined, [true], 1, 'wrong type'],
    // The name of a variable of the question.
    ['integer', undefined, ['user_age'], 'user_age', undefined],
    ['integer', undefined, ['user_age'], 'userage', 'wrong value'],
    ['array', 'string', [['a b', 'C'], ['d']], ['AB', 'c'], undefined],
    ['array', 'string', [['a', 'b']], ['b', 'a'], 'wrong value'],
    ['array', 'integer', [[1, 2]], [1, '2'], 'wrong type'],
    ['array', 'number', [[1, 2]], [1, 2], undefined],
    ['array', 'number', [[new Float(1), new Float(2)]], [1, 2], 'wrong type'],
    ['array', 'string', [['a'], ''], [], undefined],
    ['object', undefined, [{ a: [1], b: ['x', ''] }], { a: 1 }, undefined],
    ['object', undefined, [{ a: [1], b: ['x', ''] }], { a: 1, b: 'X' }, undefined],
    ['object', undefined, [{ a: [1] }], { a: 1, c: 2 }, 'wrong value'],
    ['object', undefined, [{ a: [1] }], {}, 'wrong value'],
    ['array', 'object', [[{ a: [1] }, { a: [2] }]], [{ a: 1 }, { a: 2 }], undefined],
    ['array', 'object', [[{ a: [1] }, { a: [2] }]], [{ a: 1 }], 'wrong value'],
    ['array', 'object', [[{ a: [1] }, { a: [2] }]], [{ a: 2 }, { a: 1 }], 'wrong value'],
    // A type that the table does not have is compared as it stands.
    ['', undefined, [{ deep: [1, { er: true }] }], { deep: [1, { er: true }] }, undefined],
    ['', undefined, [null], 'null', 'wrong value'],
  ])('%s of %s, accepted %j, given %j: %s', (type, itemType, accepted, given, fault) => {
    expect(answerFault(called(given), expecting({ type, itemType }, accepted))).toBe(fault);
  });
});

describe('an answer', () => {
  const signature = {
    parameters: new Map([
      ['x', { type: 'integer' }],
      ['y', { type: 'integer' }],
    ]),
    required: ['x'],
  };
  const f = (x: number, y?: number) => ({ name: 'f', arguments: y === undefined ? { x } : { x, y } });
  const expected: Expected = {
    kind: 'calls',
    signatures: new Map([['f', signature]]),
    calls: [
      { name: 'f', arguments: { x: [1], y: [1, ''] } },
      { name: 'f', arguments: { x: [2], y: [2] } },
    ],
  };

  test.each([
    [[f(1), f(2, 2)], undefined],
    [[f(2, 2), f(1, 1)], undefined],
    [[f(1), f(2)], 'missing argument'],
    [[f(1), f(1)], 'wrong value'],
    [[f(1), f(2, 3)], 'wrong value'],
    [[f(1)], 'wrong number of calls'],
    [[f(1), f(2, 2), f(2, 2)], 'wrong number of calls'],
    [[], 'no call'],
    [[f(1), { name: 'g', arguments: { x: 2, y: 2 } }], 'wrong tool'],
    [[f(1), { name: 'f', arguments: { y: 2 } }], 'missing argument'],
    [[f(1), { name: 'f', arguments: { x: 2, y: 2, z: 3 } }], 'unexpected argument'],
    [[f(1), { name: 'f', arguments: { x: 2, constructor: 2 } }], 'unexpected argument'],
  ])('%j: %s', (calls, fault) => {
    expect(answerFault(calls, expected)).toBe(fault);
  });

  test('to a question that has nothing to do with the tools has no call, to any other one it has', () => {
    expect([answerFault([], { kind: 'none' }), answerFault([f(1)], { kind: 'none' })]).toEqual([
      undefined,
      'needless call',
    ]);
    expect([answerFault([], { kind: 'some' }), answerFault([f(1)], { kind: 'some' })]).toEqual([
      'no call',
      undefined,
    ]);
  });
});

test('whole numbers written with a fraction are told from those without, wherever they stand', () => {
  const value = readTypedJson('{"a": [1, 1.0, 2.5, 1e3, "1.0 \\" 2.0"], "b": -3.0}') as {
    a: unknown[];
    b: unknown;
  };
  expect(value.a.map(typeOf)).toEqual(['integer', 'float', 'float', 'float', 'text']);
  expect(value.a[4]).toBe('1.0 " 2.0');
  expect(value.b).toEqual(new Float(-3));
  expect(sameValue([1, { a: 2 }], [new Float(1), { a: new Float(2) }])).toBe(true);
  expect(sameValue(true, 1)).toBe(true);
  expect(sameValue({ a: 1 }, { a: 1, b: 2 })).toBe(false);
});
