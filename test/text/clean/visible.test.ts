import { expect, it } from 'vitest';
import { quoted, shownJson, visible } from '../../../src/text/clean/visible.ts';

it('visible shows what a terminal would obey or hide', () => {
  expect(visible('a b\u00a0c\u001b[2J\r\n\u202e\u200b\u{E0041}é漢')).toBe(
    'a b\\u{a0}c\\u{1b}[2J\\u{d}\\u{a}\\u{202e}\\u{200b}\\u{e0041}é漢',
  );
  expect([quoted('x'.repeat(200)), quoted({ a: 1 }), quoted(undefined)]).toEqual([
    `'${'x'.repeat(80)}...'`,
    '{"a":1}',
    'undefined',
  ]);
});

/** So deep that it can be read, but not written. */
const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);

it('a value that is too deep to be written has a message all the same, and a long one a short one', () => {
  const words = 'a value that is nested too deep';
  expect([quoted(deep), shownJson({ deep })]).toEqual([words, words]);
  expect(shownJson('a'.repeat(300))).toBe(`"${'a'.repeat(199)}...`);
});
