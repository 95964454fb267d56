import { expect, it } from 'vitest';
import { readField } from '../../src/line/ask-form.ts';
import { elicitationFields } from '../../src/mcp/server/elicitation.ts';

const read = (schema: object, typed: string, required: string[] = []) => {
  const [field] = elicitationFields({ properties: { x: schema }, required });
  if (field === undefined) throw new Error('no field');
  const result = readField(field, typed);
  return 'value' in result ? result.value : result;
};
const problem = (text: string) => ({ problem: text });

const EMAIL = problem('Answer an e-mail address, such as ada@example.com.');
const URI = problem('Answer a whole address, such as https://example.com.');
const DATE = problem('Answer a date, such as 2026-07-28.');
const TIME = problem('Answer a date and time, such as 2026-07-28T09:30:00Z.');

it.each([
  ['email', 'ada@example.com', undefined],
  ['email', 'ada', EMAIL],
  ['email', 'ada@', EMAIL],
  ['email', 'a b@c.de', EMAIL],
  ['email', 'a@b@c', EMAIL],
  ['uri', 'https://example.com/a?b', undefined],
  ['uri', 'mailto:ada@example.com', undefined],
  ['uri', 'example', URI],
  ['date', '2026-02-28', undefined],
  ['date', '2024-02-29', undefined],
  ['date', '2026-02-29', DATE],
  ['date', '2026-06-31', DATE],
  ['date', '2026-13-01', DATE],
  ['date', '28.7.2026', DATE],
  ['date', '2026-7-28', DATE],
  ['date-time', '2026-07-28T09:30:00Z', undefined],
  ['date-time', '2026-07-28t09:30:00.25+02:00', undefined],
  ['date-time', '2026-07-28T25:00:00Z', TIME],
  ['date-time', '2026-06-31T09:30:00Z', TIME],
  ['date-time', '2026-07-28T09:30:00', TIME],
  ['date-time', '2026-07-28', TIME],
  ['hostname', 'anything at all', undefined],
  ['__proto__', 'anything', undefined],
  [7, 'anything', undefined],
])('a text of the format %j: %s', (format, typed, expected) => {
  expect(read({ type: 'string', format }, typed)).toEqual(expected ?? typed);
});

it.each([
  [{ type: 'string', minLength: 2 }, '\u{1f600}', problem('At least 2 characters.')],
  [{ type: 'string', maxLength: 2 }, '\u{1f600}\u{1f600}', '\u{1f600}\u{1f600}'],
  [{ type: 'string', maxLength: 1 }, 'ab', problem('At most 1 character.')],
  [{ type: 'integer' }, '1.5', problem('Answer a whole number.')],
  [{ type: 'number' }, '1.5', 1.5],
  [{ type: 'number' }, 'Infinity', problem('Answer a number.')],
  [{ type: 'number', minimum: 1 }, '0', problem('Not below 1.')],
  [{ type: 'boolean' }, 'YES', true],
  [{ type: 'boolean' }, 'perhaps', problem('Answer yes or no.')],
])('%j, %j', (schema, typed, expected) => {
  expect(read(schema, typed)).toEqual(expected);
});

const SIZES = {
  oneOf: [
    { const: 's', title: 'Small' },
    { const: 'l', title: 'Large' },
  ],
};
const UNCLEAR = { enum: ['a', 'b'], enumNames: ['Same', 'same'] };

it.each([
  ['its label, in any case', SIZES, 'sMALL', 's'],
  ['its value', SIZES, 'l', 'l'],
  ['the beginning of its label', SIZES, 'la', 'l'],
  ['a beginning of several', { enum: ['Medium', 'Mini'] }, 'm', problem('Answer one of Medium, Mini.')],
  ['a whole one that another begins with', { enum: ['go', 'gopher'] }, 'go', 'go'],
  ['neither', SIZES, 'medium', problem('Answer one of Small, Large.')],
  ['labels that are the same', UNCLEAR, 'same', problem('Answer one of a, b.')],
  ['a value whose label is another value', { enum: ['a', 'b'], enumNames: ['b', 'a'] }, 'a', 'a'],
  ['values that differ by case', { enum: ['a', 'A'] }, 'A', 'A'],
])('a choice by %s', (_, schema, typed, expected) => {
  expect(read({ type: 'string', ...schema }, typed)).toEqual(expected);
});

it.each([
  ['Small, l,', {}, ['s', 'l']],
  ['s, small', {}, ['s']],
  ['s, huge', {}, problem("'huge' is none of Small, Large.")],
  ['s', { minItems: 2 }, problem('At least 2, with commas.')],
  ['s, l', { maxItems: 1 }, problem('At most 1.')],
  [',', { minItems: 1 }, problem('At least 1, with commas.')],
])('several of the choices: %j', (typed, limits, expected) => {
  expect(read({ type: 'array', items: SIZES, ...limits }, typed)).toEqual(expected);
});

it('labels with commas cannot be told apart in a list: values stand for them', () => {
  const items = {
    oneOf: [
      { const: 's', title: 'Small, red' },
      { const: 'l', title: 'Large' },
    ],
  };
  expect(read({ type: 'array', items }, 's,l')).toEqual(['s', 'l']);
  expect(read({ type: 'array', items }, 'Large')).toEqual(problem("'Large' is none of s, l."));
});

it('an empty line is the default, no answer, or not enough', () => {
  expect(read({ type: 'integer', default: 3 }, '')).toBe(3);
  expect(read({ type: 'integer' }, '')).toBeUndefined();
  expect(read({ type: 'integer' }, '', ['x'])).toEqual(problem('An answer is needed here.'));
});
