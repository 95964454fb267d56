import { expect, test } from 'vitest';
import { isCovered } from '../../src/grammar/schema-coverage.ts';

const node = {
  type: 'object',
  properties: { v: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
  required: ['v'],
};

test.each([
  [undefined],
  [{}],
  [
    {
      type: 'object',
      properties: { a: { enum: ['x', 1] }, b: { const: null } },
      additionalProperties: false,
    },
  ],
  [{ title: 'T', type: 'object', properties: { a: { type: 'string', format: 'date', default: '' } } }],
  [{ type: 'array', items: { type: ['number', 'null'] }, minItems: 1, maxItems: 24 }],
  [{ $defs: { node }, $ref: '#/$defs/node' }],
  [{ type: 'object', additionalProperties: { type: 'integer' } }],
])('a grammar sees to all of %j', schema => {
  expect(isCovered(schema)).toBe(true);
});

test.each([
  [false],
  [{ type: 'string', maxLength: 3 }],
  [{ type: 'object', properties: { a: { type: 'string', pattern: '^a' } } }],
  [{ type: 'object', properties: {}, required: ['a'] }],
  [{ type: 'array', items: { type: 'integer', minimum: 3 } }],
  [{ type: 'array', maxItems: 25 }],
  [{ type: 'array', uniqueItems: true }],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }],
  [{ type: 'object', anyOf: [{ required: ['a'] }] }],
  [{ $defs: { short: { type: 'string', maxLength: 3 } }, anyOf: [{ $ref: '#/$defs/short' }] }],
  [{ $ref: 'https://example.org/schema' }],
])('%j is checked afterwards', schema => {
  expect(isCovered(schema)).toBe(false);
});
