import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { lineChange, unambiguousLength, widestWidth } from '../../../src/tui/terminal/line-diff.ts';
import { Painter } from '../../../src/tui/terminal/painter.ts';
import { Emulator } from './emulator.ts';

const trimmed = (lines: readonly string[]) => {
  const all = lines.map(line => line.trimEnd());
  while (all.at(-1) === '') all.pop();
  return all;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are no text
const plain = (line: string) => line.replaceAll(/\u001b\[[0-9;]*m/g, '');

const line = fc
  .array(
    fc.constantFrom(
      'a',
      'bc ',
      'long word ',
      '漢字',
      '👩‍👩‍👧',
      'é',
      '\u001b[1mx\u001b[22m',
      '\u001b[36mcode\u001b[39m',
    ),
    { maxLength: 4 },
  )
  .map(parts => parts.join(''));
const frames = fc.array(
  fc.record({
    printed: fc.array(line, { maxLength: 20 }),
    live: fc
      .record({ lines: fc.array(line, { minLength: 1, maxLength: 4 }), footer: fc.boolean() })
      .map(({ lines, footer }) => (footer ? [...lines, 'a footer of some length'] : lines)),
  }),
  { minLength: 1, maxLength: 8 },
);

test('whatever is painted, the terminal shows all printed lines and then the live region', async () => {
  await fc.assert(
    fc.asyncProperty(frames, async all => {
      const emulator = new Emulator(40, 8);
      const painter = new Painter(emulator);
      const printed: string[] = [];
      for (const frame of all) {
        printed.push(...frame.printed);
        painter.paint(frame.printed, frame.live, { row: 0, column: 2 });
        expect(trimmed(await emulator.lines())).toEqual(trimmed([...printed, ...frame.live].map(plain)));
        expect((await emulator.cursor()).column).toBe(2);
        expect((await emulator.cursor()).row).toBe(printed.length);
      }
    }),
    { numRuns: 80, seed: 1 },
  );
}, 120_000);

test('a printed line wider than the window stays one line', async () => {
  const emulator = new Emulator(10, 6);
  const painter = new Painter(emulator);
  painter.paint([], ['live', '> '], { row: 1, column: 2 });
  painter.paint(['a line of some length', 'short'], ['live', '> '], { row: 1, column: 2 });
  painter.paint([], ['live 2', '> '], { row: 1, column: 2 });
  expect(trimmed(await emulator.lines(true))).toEqual(['a line of some length', 'short', 'live 2', '>']);
});

test('a line that settles where it stands costs no text', () => {
  const emulator = new Emulator(80, 24);
  const painter = new Painter(emulator);
  painter.paint([], ['finished text', '> '], { row: 1, column: 2 });
  const before = emulator.bytes.length;
  painter.paint(['finished text'], ['> '], { row: 0, column: 2 });
  expect(emulator.bytes.length - before).toBeLessThan(12);
});

test('what stands below a line that grows by another is moved, not written again', async () => {
  const emulator = new Emulator(80, 6);
  const painter = new Painter(emulator);
  const below = ['prompt -> ', 'a footer of some length, which is there all the time'];
  const cursor = (row: number) => ({ row, column: 10 });
  for (const row of [0, 1, 2, 3, 4, 5]) painter.paint([`line ${row}`], ['', ...below], cursor(1));
  const before = emulator.bytes.length;
  painter.paint(['more'], ['and more', ...below], cursor(1));
  expect(emulator.bytes.slice(before)).not.toContain('footer');
  expect(trimmed(await emulator.lines()).slice(-5)).toEqual([
    'line 5',
    'more',
    'and more',
    'prompt ->',
    below[1],
  ]);
  expect(await emulator.cursor()).toMatchObject({ column: 10 });
});

test('what stands below is not written again either when more than a window of lines is printed', async () => {
  const emulator = new Emulator(80, 6);
  const painter = new Painter(emulator);
  const below = ['─'.repeat(80), 'prompt -> ', 'a footer of some length, which is there all the time'];
  painter.paint([], ['', ...below], { row: 2, column: 10 });
  const before = emulator.bytes.length;
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  painter.paint(lines, ['live', ...below], { row: 2, column: 10 });
  expect(emulator.bytes.slice(before)).not.toMatch(/footer|─/);
  expect(trimmed(await emulator.lines())).toEqual(trimmed([...lines, 'live', ...below]));
  expect(await emulator.cursor()).toMatchObject({ row: 32, column: 10 });
});

test('an exact line is written in one piece, though its text stands there', () => {
  const emulator = new Emulator(80, 24);
  const painter = new Painter(emulator, text => text.startsWith('assistant'));
  painter.paint([], ['assistant -> He', '> ']);
  painter.paint([], ['assistant -> Hello', '> ']);
  painter.paint(['assistant -> Hello'], ['> ']);
  expect(emulator.bytes).toContain('assistant -> Hello');
});

test('a live region taller than the window is cut at its top, never printed', async () => {
  const emulator = new Emulator(20, 4);
  const painter = new Painter(emulator);
  const many = Array.from({ length: 9 }, (_, index) => `line ${index}`);
  painter.paint([], many);
  painter.paint(
    [],
    many.map(text => `${text}!`),
  );
  expect(await emulator.lines()).toEqual(['line 6!', 'line 7!', 'line 8!']);
});

test.each([
  [40, 10],
  [120, 40],
  [1, 1],
])('after a resize to %ix%i the region is painted once', async (columns, rows) => {
  const emulator = new Emulator(80, 24);
  const painter = new Painter(emulator);
  painter.paint(['done'], ['x'.repeat(70), '> hi'], { row: 1, column: 4 });
  await emulator.lines();
  emulator.resize(columns, rows);
  painter.forget();
  painter.paint([], ['y', '> hi'], { row: 1, column: 4 });
  if (columns > 1) expect(await emulator.lines()).toEqual(['done', 'y', '> hi']);
  else expect((await emulator.lines()).length).toBeGreaterThan(0);
});

const question = ['Run it?', ...Array.from({ length: 7 }, (_, row) => `${row} ${'choice '.repeat(7)}`), '> '];
const answer = { row: question.length - 1, column: 2 };

test.each([
  ['lower', [[80, 5]]],
  ['lower and narrower', [[40, 6]]],
  [
    'lower in steps',
    [
      [80, 7],
      [80, 4],
    ],
  ],
  [
    'lower, narrower, wider, lower',
    [
      [60, 7],
      [30, 5],
      [100, 3],
    ],
  ],
])('a window that was %s than the region and grows again: the region stands there once', async (_, sizes) => {
  for (const steps of [
    [[80, 24]],
    [
      [80, 9],
      [80, 24],
    ],
    [[100, 30]],
    [[60, 30]],
  ]) {
    const emulator = new Emulator(80, 24);
    const painter = new Painter(emulator);
    painter.paint(['one', 'two'], question, answer);
    for (const [columns = 0, rows = 0] of [...sizes, ...steps]) {
      await emulator.resizeTakingBack(columns, rows);
      painter.forget();
      const fits = rows > question.length ? question : ['Run it?', '> '];
      painter.paint([], fits, { row: fits.length - 1, column: 2 });
    }
    expect(trimmed(await emulator.lines()), `${steps}`).toEqual(['one', 'two', ...trimmed(question)]);
  }
});

test('rows that are back above what was printed meanwhile stay: nothing printed is erased', async () => {
  const emulator = new Emulator(80, 24);
  const painter = new Painter(emulator);
  painter.paint(['one', 'two'], question, answer);
  await emulator.lines();
  emulator.resize(80, 5);
  painter.forget();
  painter.paint(['three', 'four'], ['> '], { row: 0, column: 2 });
  await emulator.resizeTakingBack(80, 24);
  painter.forget();
  painter.paint([], ['> '], { row: 0, column: 2 });
  const lines = await emulator.lines();
  expect(trimmed([...lines.slice(0, 2), ...lines.slice(-3)])).toEqual(['one', 'two', 'three', 'four', '>']);
});

test.each([
  ['abc', 'abcd', 3, 'd'],
  ['abc', 'abX', 2, 'X'],
  ['\u001b[1mab\u001b[22m', '\u001b[1mabc\u001b[22m', 2, '\u001b[1mc\u001b[22m'],
  ['漢', '漢字', 0, '漢字'],
])('%j -> %j keeps %i columns', (old, next, column, text) => {
  expect(lineChange(old, next)).toMatchObject({ column, text });
});

// The emulator draws each part of an emoji for itself, as many terminals do.
test.each(['👩🏽‍💻', '❤️', '1️⃣', '🏳️‍🌈', '🇫🇷', 'नमस्ते'])(
  'a line that grows behind %s loses nothing',
  async text => {
    const emulator = new Emulator(60, 6);
    const painter = new Painter(emulator);
    const whole = `See ${text} hello world, ${text} and more`;
    for (let end = 1; end <= whole.length; end++)
      painter.paint([], [whole.slice(0, end), '> '], { row: 1, column: 2 });
    const { columns } = emulator;
    const fresh = new Emulator(columns, 6);
    fresh.write(`${whole}\r\n> `);
    expect(trimmed(await emulator.lines())).toEqual(trimmed(await fresh.lines()));
  },
);

test('a line that the terminal draws wider than the window leaves the lines around it in place', async () => {
  const emulator = new Emulator(12, 8);
  const painter = new Painter(emulator);
  const family = '👨‍👩‍👧‍👦'.repeat(5);
  painter.paint([], ['above', family, 'below', '> '], { row: 3, column: 2 });
  painter.paint([], ['above', family, 'below 2', '> '], { row: 3, column: 2 });
  const lines = trimmed(await emulator.lines());
  expect(lines.filter(line => !line.includes('👨'))).toEqual(['above', 'below 2', '>']);
  painter.paint(['above', family, 'below 2'], ['> '], { row: 0, column: 2 });
  painter.paint([], ['next', '> '], { row: 1, column: 2 });
  expect(trimmed(await emulator.lines(true))).toEqual(['above', family, 'below 2', 'next', '>']);
});

test.each([
  ['plain é — • “quoted” │ ⠋ 漢字 한글 Привет', true],
  ['see 👩🏽‍💻', false],
  ['see नमस्ते', false],
])('%j: every terminal agrees on its width: %j', (text, agreed) => {
  expect(unambiguousLength(text) === text.length).toBe(agreed);
  expect(widestWidth(text) > stringWidth(text)).toBe(!agreed);
});

const IMAGE = {
  rows: 3,
  mark: '│',
  column: 2,
  sequence: `\u001b]1337;File=inline=1:${'A'.repeat(100_000)}\u0007`,
};

test('an image has rows of its own, also at the bottom of a window that scrolls, and moves nothing', async () => {
  const emulator = new Emulator(40, 8);
  const painter = new Painter(emulator);
  const expected: string[] = [];
  for (let frame = 0; frame < 6; frame++) {
    const live = [`growing ${frame}`, 'more', '> ', 'a footer of some length'].slice(frame % 3);
    const cursor = { row: live.length - 2, column: 2 };
    const [above, below] = [`result ${frame}`, `after ${frame}`];
    painter.paint(frame % 2 === 0 ? [above, IMAGE, below] : [above, IMAGE], live, cursor);
    const first = expected.length + 1;
    expected.push(above, '│', '│', '│', ...(frame % 2 === 0 ? [below] : []));
    expect(trimmed(await emulator.lines())).toEqual(trimmed([...expected, ...live]));
    expect(emulator.images.at(-1)).toEqual({ row: first, column: 2 });
    expect(await emulator.cursor()).toEqual({ row: expected.length + cursor.row, column: 2 });
  }
  expect(emulator.images).toHaveLength(6);
  // What is painted later leaves images alone.
  const sent = emulator.bytes.length;
  painter.paint(['more'], ['> '], { row: 0, column: 2 });
  expect(emulator.bytes.length - sent).toBeLessThan(200);
});

test('an image that a smaller window has no room for is left out, its rows are not', async () => {
  const emulator = new Emulator(40, 3);
  const painter = new Painter(emulator);
  painter.paint(['result', IMAGE], ['> '], { row: 0, column: 2 });
  expect(emulator.images).toEqual([]);
  expect(trimmed(await emulator.lines())).toEqual(['result', '│', '│', '│', '>']);
});
