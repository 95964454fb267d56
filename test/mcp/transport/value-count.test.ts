import { expect, it } from 'vitest';
import { hasTooManyValues, MAX_VALUES, ValueCount } from '../../../src/mcp/transport/message-reader.ts';

const list = (count: number, item: string): string => `[${Array.from({ length: count }, () => item).join()}]`;

it.each([
  ['numbers up to the limit', list(MAX_VALUES, '1'), false],
  ['one more', list(MAX_VALUES + 1, '1'), true],
  ['empty objects', list(MAX_VALUES, '{}'), true],
  ['a text of commas', `["${'[{,'.repeat(MAX_VALUES)}"]`, false],
  ['a text of escaped quotes and commas', `["${'\\",\\\\'.repeat(MAX_VALUES)}"]`, false],
  ['values behind a text that ends in a backslash', `["\\\\",${list(MAX_VALUES, '1')}]`, true],
])('%s', (_what, text, tooMany) => {
  expect(hasTooManyValues(text)).toBe(tooMany);
  // Cut anywhere, the same.
  const count = new ValueCount();
  const bytes = Buffer.from(text);
  let last = false;
  for (let at = 0; at < bytes.length; at += 1023) last = count.push(bytes.subarray(at, at + 1023));
  expect(last).toBe(tooMany);
});

it('a quote in another line hides nothing', () => {
  const count = new ValueCount();
  expect(count.push(Buffer.from(`: "\ndata: ${list(MAX_VALUES, '{}')}`))).toBe(true);
  count.reset();
  expect(count.push(Buffer.from('[1]'))).toBe(false);
});
