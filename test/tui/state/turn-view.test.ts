import { renderToString } from 'ink';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import { Turn } from '../../../src/tui/components/turn.tsx';
import { TurnView } from '../../../src/tui/state/turn-view.ts';
import { chooseTheme } from '../../../src/tui/style/theme.ts';

const VIEW = { width: 60, height: 10, theme: chooseTheme('none', false, {}) };
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are taken out
const bare = (line: string) => line.replaceAll(/\u001b\[\d+m/g, '');

/** A turn whose clock stands until it is moved on, in milliseconds. */
function turn() {
  let now = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const view = new TurnView(() => new Date(now));
  view.begin();
  return {
    view,
    pass: (ms: number) => {
      now += ms;
    },
    add: (...events: TurnEvent[]) => {
      for (const event of events) view.add(event, VIEW);
    },
    /** What has been finished since the last look, and what is live. */
    look: () => {
      const { finished, growing, status } = view.take(VIEW);
      const shown = renderToString(
        createElement(Turn, { turn: status, now, columns: VIEW.width, height: VIEW.height }),
      );
      const below = shown === '' ? [] : shown.split('\n');
      return {
        finished: finished.map(row => (typeof row === 'string' ? bare(row) : row)),
        live: [...growing, ...below].map(bare),
      };
    },
  };
}

const tool = { id: '1', name: 'search' };

test('reading the prompt has a bar, then the seconds of the first token', () => {
  const { add, look, pass } = turn();
  add({ type: 'prefill', done: 100, total: 400, cached: 0 });
  expect(look().live).toEqual([expect.stringMatching(/^. reading \[#####-{15}\] 100\/400 tokens$/)]);
  add({ type: 'prefill', done: 400, total: 400, cached: 0 });
  pass(1300);
  expect(look().live).toEqual([expect.stringMatching(/^. thinking 1\.3s$/)]);
});

test('a call: its line, the seconds and the progress as it runs; its duration ends the line, a long result is folded', () => {
  const { add, look, pass } = turn();
  add({ type: 'tool_call', ...tool, arguments: { q: 'mlx', n: 2 } });
  pass(2500);
  add({ type: 'tool_progress', id: '1', message: 'step 2\nof 4' });
  expect(look()).toEqual({
    finished: [''],
    live: [
      '│ [03:04:05] Calling tool: search(q="mlx", n=2) ...',
      expect.stringMatching(/^. search 2\.5s · step 2 of 4 · esc cancels$/),
    ],
  });
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
  add({ type: 'tool_result', ...tool, text, seconds: 2.6 });
  expect(look()).toEqual({
    finished: [
      ...['│ [03:04:05] Calling tool: search(q="mlx", n=2) ...', '│   (took 2.60s)'],
      ...[
        '│ [03:04:07] Result: line 1',
        '│   line 2',
        '│   line 3',
        '│   line 4',
        '│   line 5',
        '│   line 6',
      ],
      '│   ... 14 more lines of search · Ctrl+O shows all',
    ],
    live: [expect.stringMatching(/^. reading 0\.0s$/)],
  });
});

test('one row too many is shown, not folded; a long line counts by its rows', () => {
  const { add, look } = turn();
  const seven = Array.from({ length: 7 }, (_, index) => `line ${index + 1}`).join('\n');
  add(
    { type: 'tool_call', ...tool, arguments: {} },
    { type: 'tool_result', ...tool, text: seven, seconds: 0 },
  );
  expect(look().finished.at(-1)).toBe('│   line 7');
  const long = 'a'.repeat(1000);
  add(
    { type: 'tool_call', ...tool, arguments: {} },
    { type: 'tool_error', ...tool, message: long, seconds: 0 },
  );
  const { finished } = look();
  expect(finished.every(row => typeof row === 'string' && row.length <= VIEW.width)).toBe(true);
  expect(finished.at(-1)).toMatch(/^│ {3}\.\.\. 1\d more lines of search · Ctrl\+O shows all$/);
});

test('a call of many rows is printed at once; its result says how long it took, and whose it is', () => {
  const { add, look } = turn();
  add({ type: 'tool_call', ...tool, arguments: { text: 'word '.repeat(60) } });
  const { finished, live } = look();
  expect(finished.slice(1, 3)).toEqual([
    ...[
      '│ [03:04:05] Calling tool: search(text="word word word',
      '│   word word word word word word word word word word word',
    ],
  ]);
  expect(live).toHaveLength(1);
  add({ type: 'tool_result', ...tool, text: 'found', seconds: 0.5 });
  expect(look().finished).toEqual(['│ [03:04:05] Result: found (took 0.50s) · search']);
});

test('a word without end in a running call stays on its rows', () => {
  const { add, look } = turn();
  add({ type: 'tool_call', ...tool, arguments: { url: `https://example.org/${'a'.repeat(90)}` } });
  const { live } = look();
  for (const row of live) expect(row.length).toBeLessThanOrEqual(VIEW.width);
});

test('thinking is folded to a line; while the model or a tool works its last line stands beside', () => {
  const { add, look, pass } = turn();
  add(
    { type: 'prefill', done: 1, total: 1, cached: 0 },
    { type: 'thinking', text: 'First.\nI need the sum' },
  );
  pass(1000);
  expect(look()).toEqual({
    finished: [],
    live: [expect.stringMatching(/^. thinking 1\.0s · I need the sum$/)],
  });
  add({ type: 'tool_call', ...tool, arguments: {} });
  expect(look()).toEqual({
    finished: ['', '│ Thought for 1.0 s (2 lines)'],
    live: [
      '│ [03:04:06] Calling tool: search() ...',
      expect.stringMatching(/^. search 0\.0s · I need the sum · esc cancels$/),
    ],
  });
  add({ type: 'tool_result', ...tool, text: '42', seconds: 0 }, { type: 'token', text: 'It is 42.' });
  expect(look()).toEqual({
    finished: [...['│ [03:04:06] Calling tool: search() ... (took 0.00s)', '│ [03:04:06] Result: 42', '']],
    live: ['assistant -> It is 42.'],
  });
});

test('thinking that is to be shown is shown whole', () => {
  const { add, look, view } = turn();
  view.showThinking = true;
  add({ type: 'thinking', text: 'First.\nThen.' }, { type: 'token', text: 'So.' });
  expect(look().finished).toEqual(['', '│ Thought for 0.0 s (2 lines)', '│   First.', '│   Then.', '']);
});

test('the end of a turn leaves nothing that moves, whatever was going on', () => {
  const { add, look, view } = turn();
  add({ type: 'tool_call', ...tool, arguments: {} }, { type: 'token', text: 'half a' });
  view.end(VIEW);
  expect(look()).toEqual({
    finished: ['', '', 'assistant -> half a', '│ [03:04:05] Calling tool: search() ...'],
    live: [],
  });
});

test('calls that run at once: each outcome stands below its call', () => {
  const { add, look } = turn();
  add({ type: 'tool_call', ...tool, arguments: {} });
  add({ type: 'tool_call', id: '2', name: 'fetch', arguments: {} });
  expect(look().live).toHaveLength(4);
  add({ type: 'tool_error', id: '2', name: 'fetch', message: 'gone', seconds: 0.2 });
  add({ type: 'tool_result', ...tool, text: 'a', seconds: 0.1 });
  expect(look().finished).toEqual([
    '│ [03:04:05] Calling tool: fetch() ... (took 0.20s)',
    '│ [03:04:05] ERROR: gone',
    '│ [03:04:05] Calling tool: search() ... (took 0.10s)',
    '│ [03:04:05] Result: a',
  ]);
});

test('a blank row parts the prompt, the work, the reply and what a command prints', () => {
  const { add, look, view } = turn();
  view.prompt('one\ntwo', VIEW);
  add({ type: 'notice', message: 'careful' }, { type: 'token', text: 'Hello.' });
  add({ type: 'error', code: 'X', message: 'broken', hint: 'mend it' });
  view.print('figures', VIEW);
  view.print('more', VIEW);
  view.print('a result', VIEW, true);
  expect(look().finished).toEqual([
    ...['', '▌ prompt -> one', '▌ two', '', '│ Notice: careful', '', 'assistant -> Hello.', ''],
    ...['│ Error: broken', '│ mend it', '', 'figures', 'more', '', 'a result'],
  ]);
});

test('what is printed is wrapped between words', () => {
  const { add, look, view } = turn();
  add({ type: 'notice', message: 'a server that is slow to start was left out of the first prompt' });
  view.print('/expand [number]      shows the last result of a tool in full, or an earlier one', VIEW);
  expect(look().finished).toEqual([
    ...['', '│ Notice: a server that is slow to start was left out of', '│   the first prompt', ''],
    ...[
      '/expand [number]      shows the last result of a tool in',
      `${' '.repeat(22)}full, or an earlier one`,
    ],
  ]);
});

test('images of a result stand below it: four at most, those that can be drawn, in rows that the window has', () => {
  const asked: { path: string; rows: number; columns: number }[] = [];
  const view = new TurnView(undefined, (path, box) => {
    asked.push({ path, ...box });
    return path.endsWith('.png') ? { rows: 2, columns: 4, sequence: `<${path}>` } : undefined;
  });
  const finish = (height: number, saved: readonly string[]) => {
    view.add(
      { type: 'tool_result', ...tool, text: 'Here it is.', seconds: 1, saved },
      { ...VIEW, columns: 60, height },
    );
    return view.take({ ...VIEW, columns: 60 }).finished.filter(row => typeof row !== 'string');
  };
  const image = (path: string) => ({ rows: 2, sequence: `<${path}>`, mark: '│', column: 2 });
  expect(finish(10, ['1.png', '2.wav', '3.png', '4.png', '5.png'])).toEqual(
    ['1.png', '3.png', '4.png'].map(image),
  );
  expect(asked[0]).toEqual({ path: '1.png', rows: 10, columns: 58 });
  expect(finish(2, ['1.png'])).toEqual([]);
});
