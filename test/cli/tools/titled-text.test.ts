import { expect, test } from 'vitest';
import { describedTool, titledText } from '../../../src/cli/tools/titled-text.ts';

test.each([
  ['read_file', 'Read File', 'Reads.', 'Reads.'],
  ['read_file', 'Read a file', 'Reads.', 'Read a file: Reads.'],
  ['read_file', undefined, 'Reads.', 'Reads.'],
  ['read_file', 'Read File', undefined, ''],
  ['read_file', '', '', ''],
  ['лес', 'Лес', 'Wald', 'Wald'],
  ['--', '...', 'x', '...: x'],
])('%j, %j, %j: %j', (name, title, description, expected) => {
  expect(titledText(name, title, description)).toBe(expected);
});

test('a tool of which nothing is said has no colon', () => {
  expect(describedTool('read', 'files', undefined, undefined)).toBe('read (files)');
  expect(describedTool('read', 'files', 'Read', 'Reads.')).toBe('read (files): Reads.');
});
