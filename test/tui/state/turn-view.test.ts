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
      return { finished: finished.map(bare), live: [...growing, ...below].map(bare) };
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

test('a call: its arguments, the seconds and the progress as they run, a long result folded with a count', () => {
  const { add, look, pass } = turn();
  add({ type: 'tool_call', ...tool, arguments: { q: 'mlx', n: 2 } });
  pass(2500);
  add({ type: 'tool_progress', id: '1', message: 'step 2\nof 4' });
  expect(look()).toEqual({
    finished: ['[03:04:05] Calling tool: search(q="mlx", n=2) ...'],
    live: [expect.stringMatching(/^. search 2\.5s · step 2 of 4 · esc cancels$/)],
  });
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
  add({ type: 'tool_result', ...tool, text, seconds: 2.6 });
  const { finished } = look();
  expect(finished[0]).toBe('[03:04:07] Result: line 1 (took 2.60s)');
  expect(finished.slice(-2)).toEqual(['  line 12', '  ... (8 more lines, Ctrl+O shows all)']);
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
    finished: ['Thought for 1.0 s (2 lines)', '[03:04:06] Calling tool: search() ...'],
    live: [expect.stringMatching(/^. search 0\.0s · I need the sum · esc cancels$/)],
  });
  add({ type: 'tool_result', ...tool, text: '42', seconds: 0 }, { type: 'token', text: 'It is 42.' });
  expect(look().live).toEqual(['assistant -> It is 42.']);
});

test('thinking that is to be shown is shown whole', () => {
  const { add, look, view } = turn();
  view.showThinking = true;
  add({ type: 'thinking', text: 'First.\nThen.' }, { type: 'token', text: 'So.' });
  expect(look().finished).toEqual(['Thought for 0.0 s (2 lines)', '  First.', '  Then.']);
});

test('the end of a turn leaves nothing that moves, whatever was going on', () => {
  const { add, look, view } = turn();
  add({ type: 'tool_call', ...tool, arguments: {} }, { type: 'token', text: 'half a' });
  view.end(VIEW);
  expect(look()).toEqual({
    finished: ['[03:04:05] Calling tool: search() ...', 'assistant -> half a'],
    live: [],
  });
});

test('calls that run at once have their results named', () => {
  const { add, look } = turn();
  add({ type: 'tool_call', ...tool, arguments: {} });
  add({ type: 'tool_call', id: '2', name: 'fetch', arguments: {} });
  look();
  add({ type: 'tool_result', ...tool, text: 'a', seconds: 0.1 });
  add({ type: 'tool_error', id: '2', name: 'fetch', message: 'gone', seconds: 0.2 });
  add({ type: 'tool_call', ...tool, arguments: {} });
  add({ type: 'tool_result', ...tool, text: 'b', seconds: 0.1 });
  expect(look().finished).toEqual([
    '[03:04:05] Result: a (took 0.10s) · search',
    '[03:04:05] ERROR: gone (took 0.20s) · fetch',
    '[03:04:05] Calling tool: search() ...',
    '[03:04:05] Result: b (took 0.10s)',
  ]);
});

test('what is printed is wrapped between words', () => {
  const { add, look, view } = turn();
  add({ type: 'notice', message: 'a server that is slow to start was left out of the first prompt' });
  view.print('/expand [number]      shows the last result of a tool in full, or an earlier one', VIEW);
  expect(look().finished).toEqual([
    ...['Notice: a server that is slow to start was left out of the', '  first prompt'],
    ...[
      '/expand [number]      shows the last result of a tool in',
      `${' '.repeat(22)}full, or an earlier one`,
    ],
  ]);
});
