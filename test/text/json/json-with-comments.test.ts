import { describe, expect, test } from 'vitest';
import { parseJsonWithComments } from '../../../src/text/json/json-with-comments.ts';

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
