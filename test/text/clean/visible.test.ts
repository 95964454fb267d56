import { expect, it } from 'vitest';
import { quoted, visible } from '../../../src/text/clean/visible.ts';

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
