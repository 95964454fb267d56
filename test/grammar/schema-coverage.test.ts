import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canFollow, responseGrammar } from '../../src/grammar/response-format.ts';
import { isCovered } from '../../src/grammar/schema-coverage.ts';
import { checkSchema } from '../../src/parse/json/schema-check.ts';
import { byteGrammar, judge } from './byte-grammar.ts';

const node = {
  type: 'object',
  properties: { v: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
  required: ['v'],
};

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const nothing = { type: 'null' };

/** Schemas that say of a value only that it fits themselves. */
const CIRCULAR: [object][] = [
  [{ $defs: { a: { anyOf: [ref('a')] } }, ...ref('a') }],
  [{ $defs: { a: { anyOf: [nothing, ref('b')] }, b: { anyOf: [nothing, ref('a')] } }, ...ref('a') }],
  [{ $defs: { a: { anyOf: [ref('a')] } }, type: 'object', properties: { x: ref('a') }, required: ['x'] }],
  [
    {
      $defs: {
        a: { anyOf: [{ type: 'array', items: ref('b') }, ref('b')] },
        b: { anyOf: [nothing, ref('a')] },
      },
      ...ref('a'),
    },
  ],
];

const WITH_ONE_OF: [object] = [{ $defs: { a: { oneOf: [ref('a'), nothing] } }, ...ref('a') }];

test.each([...CIRCULAR, WITH_ONE_OF])('no grammar is made of %j', circular => {
  const format = { type: 'json_schema' as const, schema: { ...circular } };
  expect(canFollow(format)).toBe(false);
  expect(() => responseGrammar(format)).toThrow(
    /^The schema cannot be followed: \$ref #\/\$defs\/[ab] refers to itself for the same value$/,
  );
});

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
  [{ $defs: { list: { anyOf: [{ type: 'null' }, { type: 'array', items: ref('list') }] } }, ...ref('list') }],
  [{ type: 'object', additionalProperties: { type: 'integer' } }],
  [{ type: 'object', properties: {}, additionalProperties: true }],
  [{ type: ['integer', 'string'], enum: [1, 'x'] }],
  [{ type: 'string', nullable: true, enum: ['a', null] }],
  [{ type: 'object', const: { a: 1 } }],
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
  [{ type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: true }],
  [{ type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: {} }],
  [{ type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'string' } }],
  [{ type: 'integer', enum: [1, 'x'] }],
  [{ type: 'integer', const: 'x' }],
  [{ const: 1, enum: [2] }],
  [{ const: {}, required: ['a'], properties: { a: {} } }],
  [{ type: 'array', minItems: 3, maxItems: 2 }],
  [{ minItems: 1 }],
  ...CIRCULAR,
])('%j is checked afterwards', schema => {
  expect(isCovered(schema)).toBe(false);
});

const leaf = fc.constantFrom('1', '"x"', 'null', '[]', '{}');
const key = fc.constantFrom('a', 'b', 'x1');

/** JSON of few names and values, also with a name twice. */
const { text } = fc.letrec<{ text: string }>(tie => ({
  text: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.array(tie('text'), { maxLength: 2 }).map(items => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(key, tie('text')), { maxLength: 3 })
      .map(members => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  ),
}));

/** Schemas of few keywords, in any combination. */
const { schema } = fc.letrec<{ schema: object | boolean }>(tie => {
  const type = fc.constantFrom('integer', 'string', 'null', 'array', 'object');
  const value = leaf.map(one => JSON.parse(one));
  const names = fc.uniqueArray(key, { maxLength: 2 });
  const listed = { enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }), const: value };
  const object = {
    properties: fc.dictionary(key, tie('schema'), { maxKeys: 2 }),
    required: names,
    additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    patternProperties: fc.constantFrom({}, { '^x': { type: 'integer' } }),
  };
  const list = { items: tie('schema'), minItems: fc.nat(2), maxItems: fc.nat(2) };
  const some = (parts: Record<string, fc.Arbitrary<unknown>>) => fc.record(parts, { requiredKeys: [] });
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.record({ type }),
      some({ type, nullable: fc.boolean(), ...listed }),
      some({ type: fc.constant('object'), ...object }),
      some({ type: fc.constant('array'), ...list }),
      some({ type, ...listed, ...object, ...list }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    ),
  };
});

test('what the grammar of a covered schema accepts fits the schema', { timeout: 120_000 }, async () => {
  const grammars = await byteGrammar();
  const isPlain = (one: object | boolean): one is Record<string, unknown> => typeof one === 'object';
  await fc.assert(
    fc.asyncProperty(schema.filter(isPlain), fc.array(text, { maxLength: 8 }), async (asked, texts) => {
      const format = { type: 'json_schema' as const, schema: asked };
      fc.pre(isCovered(asked) && canFollow(format));
      const grammar = responseGrammar(format);
      for (const one of texts)
        if ((await judge(grammars, grammar, one)) === 'whole')
          expect(checkSchema(asked, JSON.parse(one)), one).toEqual([]);
    }),
    { numRuns: 400, seed: 1 },
  );
});
