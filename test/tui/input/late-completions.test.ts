import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Completion, complete } from '../../../src/tui/input/complete.ts';
import { EMPTY, edit, offer, withText } from '../../../src/tui/input/editor.ts';
import { LateCompletions } from '../../../src/tui/input/prompt-editor.ts';

/** Searches that end when they are told to. */
function searching(pauseMs = 10) {
  const asked: { text: string; signal: AbortSignal; end: (found: Completion | Error | undefined) => void }[] =
    [];
  const shown: [readonly string[], boolean][] = [];
  const late = new LateCompletions({
    find: text =>
      text.startsWith('/')
        ? signal =>
            new Promise((resolve, reject) => {
              const end = (found: Completion | Error | undefined) =>
                found instanceof Error ? reject(found) : resolve(found);
              asked.push({ text, signal, end });
            })
        : undefined,
    show: ({ options }, byTab) => shown.push([options, byTab]),
    pauseMs,
  });
  return { late, asked, shown };
}

const FOUND = { start: 0, options: ['one', 'two'] };

describe('completions that take time', () => {
  test('are looked for once typing pauses, not for each key', async () => {
    const { late, asked, shown } = searching();
    for (const text of ['/', '/a', '/ab']) late.look(text, text.length, false);
    await expect.poll(() => asked.map(({ text }) => text)).toEqual(['/ab']);
    // A key that changes nothing does not ask again.
    late.look('/ab', 3, false);
    asked[0]?.end(FOUND);
    await expect.poll(() => shown).toEqual([[['one', 'two'], false]]);
    expect(asked).toHaveLength(1);
  });

  test('on Tab at once', async () => {
    const { late, asked, shown } = searching(60_000);
    late.look('/a', 2, false);
    late.look('/a', 2, true);
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.end(FOUND);
    await expect.poll(() => shown).toEqual([[['one', 'two'], true]]);
  });

  test('are given up with the next key, and when it is closed; what comes late is not shown', async () => {
    const { late, asked, shown } = searching(0);
    late.look('/a', 2, false);
    await expect.poll(() => asked.length).toBe(1);
    late.look('/ab', 3, false);
    expect(asked[0]?.signal.aborted).toBe(true);
    await expect.poll(() => asked.length).toBe(2);
    late.look('plain', 5, false);
    expect(asked[1]?.signal.aborted).toBe(true);
    late.look('/c', 2, false);
    late.close();
    for (const { end } of asked) end(FOUND);
    await sleep(20);
    expect([asked.length, shown]).toEqual([2, []]);
  });

  test('that fail or find nothing show nothing', async () => {
    const { late, asked, shown } = searching(0);
    late.look('/a', 2, false);
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.end(new Error('no'));
    late.look('/b', 2, false);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.end(undefined);
    await sleep(20);
    expect(shown).toEqual([]);
  });
});

describe('in the prompt', () => {
  const typed = withText(EMPTY, '/s:p k=o');
  const found = { start: 7, options: ['one', 'other'] };

  test('they open the menu, on Tab with the first one put in the text', () => {
    expect(offer(typed, found, false)).toMatchObject({ text: '/s:p k=o', menu: { index: -1 } });
    expect(offer(typed, found, true)).toMatchObject({ text: '/s:p k=one', menu: { index: 0 } });
  });

  test('a single one is put in the text on Tab, with a space unless more follows', () => {
    const one = { start: 7, options: ['one'] };
    expect(offer(typed, one, true)).toMatchObject({ text: '/s:p k=one ', menu: undefined });
    expect(offer(typed, { ...one, open: true }, true)).toMatchObject({ text: '/s:p k=one' });
    expect(offer(withText(EMPTY, '/s:p k=one'), one, false).menu).toBeUndefined();
  });

  test('nothing found, or a menu that is open, changes nothing', () => {
    expect(offer(typed, { start: 7, options: [] }, true)).toBe(typed);
    const open = { ...typed, menu: { ...found, index: 0 } };
    expect(offer(open, { start: 7, options: ['x'] }, false)).toBe(open);
  });

  test('names of arguments are shown unasked, and tools are not offered among them', () => {
    const candidates = {
      commands: [],
      tools: ['list_files'],
      resources: [],
      promptArguments: (before: string) =>
        before.endsWith(' ') ? { start: before.length, options: ['language='], open: true } : undefined,
    };
    const context = {
      history: [],
      busy: false,
      complete: (text: string, cursor: number) => complete(text, cursor, candidates),
    };
    const { state } = edit(withText(EMPTY, '/s:p'), { type: 'text', text: ' ' }, context);
    expect(state.menu?.options).toEqual(['language=']);
    const { state: next } = edit(state, { type: 'key', name: 'tab' }, context);
    expect(next.text).toBe('/s:p language=');
    expect(edit(withText(EMPTY, '/s:p x=li'), { type: 'key', name: 'tab' }, context).state.text).toBe(
      '/s:p x=li',
    );
  });
});
