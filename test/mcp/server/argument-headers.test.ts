import { expect, it } from 'vitest';
import { argumentHeaders, headerFault } from '../../../src/mcp/server/argument-headers.ts';

const schema = (properties: Record<string, unknown>) => ({ type: 'object', properties });
const header = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });

it('arguments become headers, at any depth, and what a header cannot hold is base64', () => {
  const inputSchema = schema({
    region: header('Region'),
    count: header('Count', 'integer'),
    inner: schema({ flag: header('Flag', 'boolean') }),
    empty: header('Empty'),
    foreign: header('Foreign'),
    padded: header('Padded'),
    lines: header('Lines'),
    sentinel: header('Sentinel'),
    missing: header('Missing'),
    plain: { type: 'string' },
  });
  const args = {
    region: 'eu',
    count: 42,
    inner: { flag: false },
    empty: '',
    foreign: 'é',
    padded: ' a ',
    plain: 'x',
    lines: 'a\r\nEvil: 1',
    sentinel: '=?base64?YQ==?=',
  };
  expect(argumentHeaders(inputSchema, args)).toEqual({
    'Mcp-Param-Region': 'eu',
    'Mcp-Param-Count': '42',
    'Mcp-Param-Flag': 'false',
    'Mcp-Param-Empty': '=?base64??=',
    'Mcp-Param-Foreign': '=?base64?w6k=?=',
    'Mcp-Param-Padded': '=?base64?IGEg?=',
    'Mcp-Param-Lines': '=?base64?YQ0KRXZpbDogMQ==?=',
    'Mcp-Param-Sentinel': '=?base64?PT9iYXNlNjQ/WVE9PT89?=',
  });
});

it('arguments of other types than declared make no header', () => {
  const inputSchema = schema({ a: header('A'), b: header('B', 'integer'), c: header('C') });
  expect(argumentHeaders(inputSchema, { a: null, b: 2 ** 60, c: { deep: 1 } })).toEqual({});
});

it.each([
  ['no header', schema({ a: { type: 'string' } }), undefined],
  ['a good one', schema({ a: header('A') }), undefined],
  ['an argument that is called like the key', schema({ 'x-mcp-header': { type: 'string' } }), undefined],
  ['empty', schema({ a: header('') }), /no name of a header/],
  ['a line break', schema({ a: header('A\r\nEvil: 1') }), /no name of a header/],
  ['no text', schema({ a: header(7) }), /no name of a header/],
  ['a number', schema({ a: header('A', 'number') }), /of type .number/],
  ['an object', schema({ a: header('A', 'object') }), /of type .object/],
  ['twice', schema({ a: header('A'), b: header('a') }), /two arguments/],
  ['in a list', schema({ a: { type: 'array', items: header('A') } }), /where no argument is/],
  ['in $defs', { ...schema({}), $defs: { a: header('A') } }, /where no argument is/],
  ['at the top', header('A'), /where no argument is/],
])('a schema with %s', (_, inputSchema, fault) => {
  if (fault === undefined) expect(headerFault(inputSchema)).toBeUndefined();
  else expect(headerFault(inputSchema)).toMatch(fault);
});
