import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonWithComments } from '../../src/text/json-with-comments.ts';
import { nearest } from '../../src/text/nearest.ts';
import { stripControls } from '../../src/text/strip-controls.ts';

describe('nearest', () => {
  test.each([
    ['temprature', ['temperature', 'top-p'], 'temperature'],
    ['ADD', ['add', 'subtract'], 'add'],
    ['zzzzzz', ['add', 'subtract'], undefined],
    ['x', [], undefined],
  ])('%s', (word, candidates, expected) => expect(nearest(word, candidates)).toBe(expected));
});

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

describe('parseJsonWithComments', () => {
  test('takes comments, trailing commas and a byte order mark', () => {
    const parsed = parseJsonWithComments('\uFEFF{ // hi\n "a": [1, 2,], }');
    expect(parsed.ok && parsed.value).toEqual({ a: [1, 2] });
  });

  test.each([
    ['', 'the file is empty at 1:1'],
    ['{\n  "a": \n}', 'value expected at 3:1'],
    ['{ "a" 1 }', 'colon expected at 1:7'],
  ])('%j', (text, detail) => expect(parseJsonWithComments(text)).toEqual({ ok: false, detail }));
});
