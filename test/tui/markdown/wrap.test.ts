import { expect, test } from 'vitest';
import { wrap, wrapLine } from '../../../src/tui/markdown/wrap.ts';

test.each([
  ['a line that fits', 'one two', 10, ['one two']],
  ['between words, the rest indented', 'one two three four', 10, ['one two', '  three', '  four']],
  ['deeper than the line', '  one two three', 10, ['  one', '    two', '    three']],
  ['to the second column', 'a    one two three', 12, ['a    one two', '     three']],
  ['without the second column where it is narrow', '/help          says what', 12, ['/help', '  says what']],
  [
    'a long word whole, for the terminal to wrap',
    'see https://example.org/a/b',
    12,
    [...['see', '  https://example.org/a/b']],
  ],
  ['a script without spaces between characters', '一二三四五六七八九十', 12, ['一二三四五', '  六七八九十']],
  ['a tab as four spaces', 'a\tbcdefgh', 8, ['a', '  bcdefgh']],
  [
    'styles closed and opened again',
    '\u001b[1mone two three\u001b[22m',
    8,
    [...['\u001b[1mone \u001b[22m', '  \u001b[1mtwo \u001b[22m', '  \u001b[1mthree\u001b[22m']],
  ],
])('%s', (_name, line, width, rows) => {
  expect(wrapLine(line, width)).toEqual(rows);
});

test('rendered text breaks a word that is wider than the line', () => {
  expect(wrap('a longword', 4)).toEqual(['a', 'long', 'word']);
});
