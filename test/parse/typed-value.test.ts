import { expect, test } from 'vitest';
import { typedValue } from '../../src/parse/bodies/typed-value.ts';

/** The value of an argument that a format writes as text. */
function read(raw: string, schema: object): unknown {
  const parametersOf = () => ({ properties: { key: schema } });
  return typedValue(raw, 'tool', 'key', { repair: false, whole: true, parametersOf });
}

const EITHER = { anyOf: [{ type: 'string' }, { type: 'number' }] };

test.each<[string, object, unknown]>([
  // A number only where nothing is lost.
  ['5', EITHER, 5],
  ['0.25', EITHER, 0.25],
  ['02134', EITHER, '02134'],
  ['+49301234', EITHER, '+49301234'],
  ['3.10', EITHER, '3.10'],
  ['1_000', EITHER, '1_000'],
  ['12345678901234567890', { type: ['string', 'integer'] }, 12345678901234567890n],
  ['02134', { type: 'integer' }, 2134],
  ['3.10', { type: 'number' }, 3.1],
  // Without a schema, JSON.
  ['3.10', {}, 3.1],
  ['-1e3', {}, -1000],
  ['02134', {}, '02134'],
  ['+49301234', {}, '+49301234'],
  // One schema in a list is that schema.
  ['5', { allOf: [{ type: 'string' }] }, '5'],
  ['5', { allOf: [{ type: 'integer' }] }, 5],
])('%s with the schema %o', (raw, schema, value) => {
  expect(read(raw, schema)).toEqual(value);
});
