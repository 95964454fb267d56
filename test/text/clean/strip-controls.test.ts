import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stripControls } from '../../../src/text/clean/strip-controls.ts';

describe('stripControls', () => {
  test.each([
    ['plain\ttext\nüñ 漢字 👍🏽', 'plain\ttext\nüñ 漢字 👍🏽'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]52;c;aGk=\u001b\\after', 'after'],
    ['\u001b[2J\u001b[Hgone', 'gone'],
    ['a\rb\r\nc\u0008\u007f\u009b31m', 'ab\nc31m'],
  ])('%j', (text, expected) => expect(stripControls(text)).toBe(expected));

  test('leaves no control character but newline and tab, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
        expect(stripControls(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
