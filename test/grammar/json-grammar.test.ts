import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { GrammarEngine } from '../../src/grammar/grammar-engine.ts';
import { responseGrammar, responseProblems } from '../../src/grammar/response-format.ts';
import { seededRandom } from '../parse/seeded-random.ts';
import { byteGrammar, judge, stopId } from './byte-grammar.ts';

let grammars: GrammarEngine;
beforeAll(async () => {
  grammars = await byteGrammar();
});

const grammarOf = (schema: Record<string, unknown>) => responseGrammar({ type: 'json_schema', schema });

interface Case {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'an object with needed and optional properties',
    schema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'string' }, c: { type: 'boolean' } },
      required: ['b'],
    },
    good: [
      '{"b":""}',
      '{"a": -1.5e3, "b": "x", "c": true}',
      '{\n  "b": "日本 \\u00e9 \\"q\\" \\n",\n  "c": false\n}',
    ],
    bad: [
      '{}',
      '{"a":1}',
      '{"b":1}',
      '{"b":"x","d":1}',
      '{"b":"a\nb"}',
      '{"b":"x",}',
      '{"b":"x"}}',
      '{"a":01,"b":""}',
    ],
  },
  {
    name: 'no properties at all',
    schema: { type: 'object', properties: {} },
    good: ['{}', '{ }'],
    bad: ['{"a":1}', '[]'],
  },
  {
    name: 'other properties where the schema says so',
    schema: {
      type: 'object',
      properties: { a: { type: 'null' } },
      additionalProperties: { type: 'integer' },
    },
    good: ['{}', '{"a":null}', '{"a":null,"x":1,"y":-2}', '{"x":12345678901234567890}'],
    bad: ['{"x":1.5}', '{"x":"1"}'],
  },
  {
    name: 'needed properties that are not listed',
    schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a', 'b'] },
    good: ['{"a":1,"b":2}', '{"a":1,"b":{"c":[]}}'],
    bad: ['{"a":1}', '{"b":2}', '{"a":1,"b":2,"c":3}'],
  },
  {
    name: 'needed properties among others of one type',
    schema: { type: 'object', required: ['b'], additionalProperties: { type: 'integer' } },
    good: ['{"b":2}', '{"b":2,"c":3}'],
    bad: ['{}', '{"b":"x"}', '{"c":3}'],
  },
  {
    name: 'any object',
    schema: { type: 'object' },
    good: ['{}', '{"a":[1,{"b":[]},null,"x"],"c":{}}'],
    bad: ['[1]', '{"a":}', '{"a" "b"}'],
  },
  {
    name: 'enum and const, of any kind',
    schema: {
      type: 'object',
      properties: { e: { enum: ['a"b', 3, null, [1]] }, c: { const: 'é' } },
      required: ['e', 'c'],
    },
    good: ['{"e":"a\\"b","c":"é"}', '{"e":3,"c":"é"}', '{"e":[1],"c":"é"}'],
    bad: ['{"e":"a","c":"é"}', '{"e":3,"c":"e"}', '{"e":33,"c":"é"}'],
  },
  {
    name: 'lists with bounds and tuples',
    schema: {
      type: 'object',
      properties: {
        l: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 3 },
        t: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        e: { type: 'array', maxItems: 0 },
      },
    },
    good: ['{"l":[1,2]}', '{"l":[1, 2, 3],"t":["a",1]}', '{"e":[]}'],
    bad: ['{"l":[1]}', '{"l":[1,2,3,4]}', '{"l":[1,-2]}', '{"t":["a"]}', '{"t":[1,"a"]}', '{"e":[1]}'],
  },
  {
    name: 'several types, nullable, small ranges',
    schema: {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: 'integer', nullable: true },
        c: { type: 'integer', minimum: 1, maximum: 12 },
      },
    },
    good: ['{"a":null}', '{"a":"x","b":null,"c":12}', '{"c":1}'],
    bad: ['{"a":1}', '{"c":0}', '{"c":13}'],
  },
  {
    name: 'unions with parts of their own',
    schema: {
      type: 'object',
      properties: { kind: { type: 'string' } },
      required: ['kind'],
      oneOf: [
        { properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['r'] },
        { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['side'] },
      ],
    },
    good: ['{"kind":"circle","r":1}', '{"kind":"square","side":2}'],
    bad: ['{"kind":"circle","side":1}', '{"kind":"square"}', '{"kind":"x","r":1}'],
  },
  {
    name: 'references, also to itself',
    schema: {
      $defs: {
        'a/b': { type: 'string' },
        node: {
          type: 'object',
          properties: {
            v: { $ref: '#/$defs/a~1b' },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          },
          required: ['v', 'next'],
        },
      },
      $ref: '#/$defs/node',
    },
    good: ['{"v":"a","next":null}', '{"v":"a","next":{"v":"b","next":{"v":"c","next":null}}}'],
    bad: ['{"v":"a"}', '{"v":1,"next":null}', '{"v":"a","next":{"v":"b"}}'],
  },
  {
    name: 'allOf',
    schema: {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
        { properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
    good: ['{"a":1,"b":"x"}'],
    bad: ['{"a":1}', '{"b":"x"}'],
  },
  {
    name: 'names that a grammar could stumble over',
    schema: {
      type: 'object',
      properties: { 'r0 ::= "x"': { type: 'integer' }, '\\d{3}\n': { const: '](=' } },
      required: ['r0 ::= "x"', '\\d{3}\n'],
    },
    good: [JSON.stringify({ 'r0 ::= "x"': 1, '\\d{3}\n': '](=' })],
    bad: ['{"r0 ::= \\"x\\"":1}'],
  },
];

describe.each(CASES)('$name', ({ schema, good, bad }) => {
  test.each(good)('%s fits', async text => {
    expect(await judge(grammars, grammarOf(schema), text)).toBe('whole');
    expect(responseProblems({ type: 'json_schema', schema }, text)).toEqual([]);
  });

  test.each(bad)('%s does not', async text => {
    expect(await judge(grammars, grammarOf(schema), text)).not.toBe('whole');
  });

  test('what is written at random along the grammar fits the schema', async () => {
    const random = seededRandom(7);
    const valid = new Ajv2020({ strict: false }).compile(schema);
    for (let round = 0; round < 3; round++) {
      const text = await randomText(grammarOf(schema), random);
      expect(valid(JSON.parse(text)), text).toBe(true);
    }
  });
});

/** Follows the grammar with bytes drawn from those that it allows, ending strings and lists soon. */
async function randomText(grammar: string, random: () => number): Promise<string> {
  const { matcher } = await grammars.start(grammar, []);
  const bytes: number[] = [];
  for (let step = 0; step < 2000; step++) {
    const { allowed, complete } = await matcher.next();
    if (complete) break;
    const fits = (byte: number) => ((allowed[byte >> 3] as number) >> (byte & 7)) & 1;
    const closers = [...'"]}'].map(letter => letter.charCodeAt(0)).filter(fits);
    const choices = Array.from({ length: 256 }, (_, byte) => byte).filter(fits);
    const pool = closers.length > 0 && random() < 0.6 ? closers : choices;
    const byte = pool[Math.floor(random() * pool.length)] as number;
    expect(await matcher.accept([byte])).toBe(1);
    bytes.push(byte);
  }
  expect((await matcher.next()).complete).toBe(true);
  expect(await matcher.accept([stopId()])).toBe(1);
  matcher.close();
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
}

test.each([
  [
    { patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false },
    '{"x1":1}',
    '{"x1":"a"}',
  ],
  [
    { patternProperties: { '^x': { type: 'integer' } }, additionalProperties: { type: 'string' } },
    '{"x1":1,"y":"a"}',
    '{"y":1}',
  ],
  [
    {
      properties: { a: { type: 'null' } },
      required: ['a', 'x'],
      patternProperties: { '^x': { type: 'integer' } },
      additionalProperties: false,
    },
    '{"a":null,"x":1,"x2":2}',
    '{"a":null,"x":"a"}',
  ],
  [{ patternProperties: {}, properties: { a: {} }, additionalProperties: false }, '{"a":1}', undefined],
])('names given by patterns are written freely and checked afterwards: %j', async (rest, good, bad) => {
  const format = { type: 'json_schema' as const, schema: { type: 'object', minProperties: 1, ...rest } };
  expect(await judge(grammars, responseGrammar(format), good)).toBe('whole');
  expect(responseProblems(format, good)).toEqual([]);
  if (bad !== undefined) expect(responseProblems(format, bad)).not.toEqual([]);
});

test('whitespace ends, so that a model cannot go on with it for ever', async () => {
  const grammar = responseGrammar({ type: 'json_object' });
  expect(await judge(grammars, grammar, `{"a":\n${' '.repeat(60)}1}`)).toBe('no');
  expect(await judge(grammars, grammar, '{\n\t"a": [\n\t\t1\n\t]\n}\n')).toBe('whole');
});

test.each([
  [{ type: 'nonsense' }, 'The schema is not a JSON Schema (2020-12)'],
  ['x', 'The schema is not a JSON Schema (2020-12)'],
  [{ anyOf: [false] }, 'The schema cannot be followed: a schema that nothing fits'],
  [deep(60), 'The schema cannot be followed: the schema is nested too deeply'],
  [
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`p${i}`, {}])) },
    'The schema cannot be followed: the grammar has too many rules',
  ],
])('a schema that cannot be followed is refused (%#)', (schema, message) => {
  const format = { type: 'json_schema' as const, schema: schema as Record<string, unknown> };
  expect(() => responseGrammar(format)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
});

function deep(levels: number): object {
  return levels === 0 ? { type: 'null' } : { type: 'array', items: deep(levels - 1), minItems: levels % 2 };
}

test('what no grammar sees to is told afterwards', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 2 } }, required: ['a'] };
  const format = { type: 'json_schema' as const, schema };
  expect(responseProblems(format, '{"a":"xyz"}')).toMatchObject([{ path: '$.a', keyword: 'maxLength' }]);
  expect(responseProblems(format, '{"a":"xy')).toMatchObject([
    { path: '$', expected: expect.stringContaining('JSON (') },
  ]);
  expect(responseProblems({ type: 'json_object' }, '[]')).toMatchObject([{ path: '$', keyword: 'type' }]);
});
