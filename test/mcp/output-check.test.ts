import { expect, it } from 'vitest';
import { outputNote } from '../../src/mcp/calls/tool-calls.ts';

const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const tool = (schema: unknown) => ({ name: 'add', outputSchema: schema });

it.each([
  ['fits', outputSchema, { structuredContent: { sum: 3 } }],
  ['is an error', outputSchema, { isError: true, structuredContent: {} }],
  ['has no structured part', outputSchema, { content: [] }],
  ['has no schema', undefined, { structuredContent: 7 }],
  ['has a schema that is none', { type: 'nonsense' }, { structuredContent: 7 }],
  ['has a schema that is no object', 'object', { structuredContent: 7 }],
])('a result that %s: no note', (_, schema, result) => {
  expect(outputNote(tool(schema), result)).toBe('');
});

it('a result that breaks its schema: a note that says where', () => {
  expect(outputNote(tool(outputSchema), { structuredContent: { sum: '3\u001b[2J' } })).toMatch(
    /^\n\[This result breaks the tool's own outputSchema: \$\.sum should be \S.*\]$/,
  );
  expect(outputNote(tool(outputSchema), { structuredContent: [] })).toContain('$ should be');
  expect(outputNote(tool(outputSchema), { structuredContent: { sum: '3\u001b[2J' } })).not.toContain(
    '\u001b',
  );
});

it('a pattern that would take for ever: no note, at once', () => {
  const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  expect(outputNote(tool(evil), { structuredContent: { a: `${'a'.repeat(40)}!` } })).toBe('');
});
