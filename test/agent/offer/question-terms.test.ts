import { expect, test } from 'vitest';
import { questionTerms } from '../../../src/agent/offer/question-terms.ts';
import { termsOf } from '../../../src/agent/offer/tool-terms.ts';

const weightOf = (text: string, word: string) =>
  questionTerms(text).find(({ term }) => term === termsOf(word)[0])?.weight;

test.each([
  ['2.5^6 please', 'power'],
  ['2 ** 10', 'power'],
  ['Calc 106²', 'power'],
  ['14 x 27 = ?', 'multiply'],
  ['8*125', 'multiply'],
  ['51 times 2', 'multiply'],
  ['58.5 ÷ 9', 'divide'],
  ['84 over 7', 'divide'],
  ['90215+4407', 'add'],
  ['71-38', 'subtract'],
  ['√2025', 'square'],
])('%s asks for %s', (text, word) => {
  expect(weightOf(text, word)).toBe(1);
});

test('a date is no subtraction, and a word is not taken for a sign', () => {
  expect(weightOf('What happened on 2024-05-17?', 'subtract')).toBeUndefined();
  expect(weightOf('a box of exports', 'multiply')).toBeUndefined();
});

test('the words of names and addresses do not count', () => {
  const text = 'Delete /home/me/branch.md, see https://example.com/issues/7 and ask ada@weather.org';
  expect(weightOf(text, 'delete')).toBe(1);
  for (const word of ['branch', 'issues', 'weather']) expect(weightOf(text, word), word).toBeUndefined();
  expect(weightOf("What's in the user's branch?", 'branch')).toBe(1);
});

test('a file stands for reading files, if nothing else is said', () => {
  expect(weightOf('r.h?', 'read')).toBe(0.5);
  expect(weightOf('read r.h', 'read')).toBe(1);
  expect(weightOf('What is the weather?', 'read')).toBeUndefined();
});

test('each word counts once', () => {
  expect(questionTerms('weather, weather and weather')).toHaveLength(1);
});

test('of a long text its beginning and its end; nothing is slow', () => {
  const words = Array.from({ length: 3000 }, (_, index) => `w${index.toString(36)}q`);
  const terms = questionTerms(`Summarize ${words.join(' ')}`);
  expect(terms).toHaveLength(64);
  expect(terms.map(({ term }) => term)).toContain(termsOf('summarize')[0]);
  for (const text of [
    '"'.repeat(1e6),
    'a.'.repeat(1e6),
    '/'.repeat(1e6),
    '1 '.repeat(1e6),
    'a@'.repeat(1e6),
  ]) {
    const started = performance.now();
    questionTerms(text);
    expect(performance.now() - started).toBeLessThan(2000);
  }
});
