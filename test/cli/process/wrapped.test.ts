import { expect, test } from 'vitest';
import { wrapped } from '../../../src/cli/process/terminal.ts';

const TEXT =
  "Error: Model 'qwen9' not found or not accessible\nA model is a Hub id (org/name) or a folder.\n";

test('on a narrow terminal a message breaks between words, and each of its lines stands for itself', () => {
  expect(wrapped(TEXT, { isTTY: true, columns: 30 }, {})).toBe(
    [
      "Error: Model 'qwen9' not found",
      '  or not accessible',
      'A model is a Hub id (org/name)',
      '  or a folder.',
      '',
    ].join('\n'),
  );
});

test.each([
  ['in a pipe', false, 'xterm'],
  ['for a screen reader', true, 'dumb'],
])('%s it stays as it is', (_where, isTTY, TERM) => {
  expect(wrapped(TEXT, { isTTY, columns: 30 }, { TERM })).toBe(TEXT);
});
