import { expect, it } from 'vitest';
import { definitionSizeFault } from '../../../src/text/json/definition-size.ts';

const nested = (levels: number): object => (levels <= 1 ? {} : { a: nested(levels - 1) });

it.each([
  ['64 levels', nested(64), undefined],
  ['65 levels', nested(65), 'is nested deeper than 64 levels'],
  ['lists count as levels', JSON.parse('['.repeat(65) + ']'.repeat(65)), 'is nested deeper than 64 levels'],
  ['32,700 characters', { text: 'x'.repeat(32_700) }, undefined],
  ['32,800 characters', { text: 'x'.repeat(32_800) }, 'is larger than 32 KB'],
  ['as many bytes of UTF-8', { text: 'ü'.repeat(17_000) }, 'is larger than 32 KB'],
  ['escapes as they are written', { text: '\u0000'.repeat(6000) }, 'is larger than 32 KB'],
  ['a long name', { ['k'.repeat(40_000)]: 1 }, 'is larger than 32 KB'],
  ['many values', Array.from({ length: 20_000 }, () => 1), 'is larger than 32 KB'],
  ['no object at all', undefined, undefined],
])('%s', (_what, value, fault) => {
  expect(definitionSizeFault(value)).toBe(fault);
});

it('stops at the limit', () => {
  const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`p${i}`, { type: 'string' }]));
  const before = process.cpuUsage();
  expect(definitionSizeFault({ parameters: { properties: many } })).toBe('is larger than 32 KB');
  expect(process.cpuUsage(before).user).toBeLessThan(1e6);
});
