import { expect, test } from 'vitest';
import { toolDetails } from '../../../src/cli/builtins/servers/tools.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';

const tool = (properties: unknown, required?: unknown, title?: string): HostTool =>
  ({
    definition: {
      type: 'function',
      function: {
        name: 'find',
        description: 'Finds.\nAll of it.',
        parameters: { type: 'object', properties, required },
      },
    },
    server: 'x',
    tool: 'find',
    readOnly: true,
    title,
  }) as HostTool;

const arguments_ = (properties: unknown, required?: unknown): string[] =>
  toolDetails(tool(properties, required)).split('Arguments:\n')[1]?.split('\n') ?? [];

test('the whole description, the title, and each argument', () => {
  const text = toolDetails(
    tool({ q: { type: 'string', description: 'words' }, n: { type: 'integer' } }, ['q'], 'Finder'),
  );
  expect(text).toBe(
    'find (x): Finder: Finds.\nAll of it.\nArguments:\n  q (string): words\n  n (integer, optional)',
  );
});

test.each([
  [{ type: ['number', 'null'] }, 'number or null'],
  [{ enum: ['a', 2] }, '"a" or 2'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] }, 'string or null'],
  [{ oneOf: [{ type: 'array', items: { type: 'string' } }] }, 'list of string'],
  [{ type: 'array' }, 'list'],
  [{ type: 'array', items: true }, 'list of any'],
  [{}, 'any'],
  [true, 'any'],
  [{ type: 7, enum: 'x', anyOf: {}, description: 7 }, 'any'],
  [{ $ref: '#/definitions/a' }, 'any'],
])('%j: %s', (schema, expected) => {
  expect(arguments_({ a: schema }, ['a'])).toEqual([`  a (${expected})`]);
});

test('odd schemas', () => {
  expect(arguments_({ a: { type: 'string' } }, 'a')).toEqual(['  a (string, optional)']);
  expect(toolDetails(tool(undefined))).toContain('It takes no arguments.');
});
