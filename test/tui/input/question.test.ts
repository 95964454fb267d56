import { describe, expect, test } from 'vitest';
import { questionRows } from '../../../src/tui/components/question.tsx';
import { answer, ask, type QuestionEffect } from '../../../src/tui/input/dialogue.ts';
import type { Key } from '../../../src/tui/input/keys.ts';

const CHOICES = [
  { word: 'once', others: ['yes'], label: 'run it' },
  { word: 'always', label: 'for good' },
  { word: 'no', label: 'do not' },
];

const key = (name: string): Key => ({ type: 'key', name });
const keysOf = (...names: string[]): Key[] => names.map(key);
const text = (typed: string): Key[] => [...typed].map(letter => ({ type: 'text', text: letter }));

/** What the keys choose, or the last state. */
function press(...keys: Key[]) {
  let state = ask('Run it?', CHOICES, 'no');
  let effect: QuestionEffect | undefined;
  for (const one of keys) ({ state, effect } = { effect: undefined, ...answer(state, one) });
  return effect?.type === 'chosen' ? effect.choice.word : (effect?.type ?? state);
}

describe('a question', () => {
  test.each([
    ['Enter alone', keysOf('enter'), 'no'],
    ['up', keysOf('up', 'enter'), 'always'],
    ['around', keysOf('down', 'enter'), 'once'],
    ['Tab and back', keysOf('tab', 'tab', 'shift+tab', 'enter'), 'once'],
    ['a word', [...text('always'), key('enter')], 'always'],
    ['its beginning, in any case', [...text('AL'), key('enter')], 'always'],
    ['another word for it', [...text('y'), key('enter')], 'once'],
    ['corrected', [...text('nx'), key('backspace'), key('enter')], 'no'],
    ['Esc', keysOf('escape'), 'none'],
    ['Ctrl+D', keysOf('ctrl+d'), 'none'],
    ['Ctrl+C', keysOf('ctrl+c'), 'interrupt'],
  ])('%s', (_name, keys, expected) => {
    expect(press(...keys)).toBe(expected);
  });

  test('maybe is no answer: it is asked again', () => {
    expect(press(...text('maybe'), key('enter'))).toMatchObject({
      typed: '',
      note: "'maybe' is none of once, always, no",
    });
    expect(press(...text('maybe'), key('enter'), ...text('no'), key('enter'))).toBe('no');
  });

  test('letters alone, a paste and other keys choose nothing', () => {
    expect(press(...text('a'))).toMatchObject({ index: 1, typed: 'a' });
    expect(press({ type: 'paste', text: 'always\n' })).toMatchObject({ index: 2, typed: '' });
    expect(press(...keysOf('left', 'ctrl+k', 'f1'))).toMatchObject({ index: 2 });
  });
});

describe('its rows', () => {
  const state = ask(`Run delete_file(${'x'.repeat(300)})?`, CHOICES, 'no');

  test.each([
    ...[1, 2, 3, 4, 6, 8, 24].flatMap(rows => [20, 40, 80, 200].map(columns => ({ rows, columns }))),
  ])('are fewer than the window has: %j', window => {
    const rows = questionRows(state, window);
    expect(rows.length).toBeLessThanOrEqual(Math.max(2, window.rows - 2));
    expect(rows.at(-1)?.kind).toBe('answer');
    if (window.rows >= 5) expect(rows.some(({ kind }) => kind === 'selected')).toBe(true);
  });

  test('show every choice where there is room', () => {
    expect(questionRows(state, { columns: 80, rows: 24 }).map(({ text: row }) => row.slice(0, 20))).toEqual([
      ...['Run delete_file(xxxx', 'xxxxxxxxxxxxxxxxxxxx', 'xxxxxxxxxxxxxxxxxxxx', 'xxxxxxxxxxxxxxxxxxxx'],
      ...['  once    run it', '  always  for good', '❯ no      do not', '> ↑↓ and Enter, or a'],
    ]);
  });
});
