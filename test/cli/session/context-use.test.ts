import { expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import { ContextUse } from '../../../src/cli/session/session-figures.ts';
import { STATS } from '../../agent/fakes.ts';

/** What it says after each of the events, and how often it counted. */
function follow(events: readonly TurnEvent[], counted = 7) {
  let counts = 0;
  const use = new ContextUse(() => {
    counts += 1;
    return counted;
  });
  const said = events.map(event => {
    use.note(event);
    return use.tokens;
  });
  return { use, said, counts: () => counts };
}

const stats = { ...STATS, promptTokens: 100, generatedTokens: 3 };

test('grows with the prompt and each token of the reply, and ends as the engine counted', () => {
  const { said, counts } = follow([
    { type: 'prefill', done: 0, total: 100, cached: 0 },
    { type: 'thinking', text: 'Hm.' },
    { type: 'token', text: 'Yes' },
    { type: 'stats', stats },
  ]);
  expect([said, counts()]).toEqual([[100, 101, 102, 103], 0]);
});

test('a summary is not in the context yet; after an error the history is as it was', () => {
  const summary = { ...stats, promptTokens: 9999 };
  const { said, counts } = follow([
    { type: 'stats', stats },
    { type: 'stats', stats: summary, summary: true },
    { type: 'error', code: 'ENGINE', message: 'gone' },
  ]);
  expect([said, counts()]).toEqual([[103, 103, 7], 1]);
});

test('a changed conversation is counted once, when somebody asks', () => {
  const { use, counts } = follow([{ type: 'stats', stats }]);
  use.changed();
  expect(counts()).toBe(0);
  expect([use.tokens, use.tokens, counts()]).toEqual([7, 7, 1]);
});
