import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withMessage } from '../../web/conversation/tree.ts';
import type { Conversation } from '../../web/conversation/types.ts';
import { dropLeft, leaveBehind, takeLeft } from '../../web/storage/left-behind.ts';
import { question, sample } from './messages.ts';

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  });
});
afterEach(() => vi.unstubAllGlobals());

/** What is taken, all of which is kept. */
async function taken() {
  const all: Conversation[] = [];
  await takeLeft(async one => all.push(one));
  return all;
}

const named = (id: string) => ({ ...sample(), id });

it('what several tabs leave as they go together is all there, once', async () => {
  expect(leaveBehind([named('a'), named('b')])).toBe(true);
  leaveBehind([withMessage(named('b'), question('q9', 'a5'), 9), named('c')]);
  const left = await taken();
  expect(left.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(Object.keys(left[1]?.messages ?? {})).toContain('q9');
  expect(await taken()).toEqual([]);
});

it('what is deleted is not left behind either', async () => {
  leaveBehind([named('a'), named('b')]);
  dropLeft(['b', 'x']);
  expect((await taken()).map(({ id }) => id)).toEqual(['a']);
});

it('what cannot be kept waits for the next time, and so does what comes meanwhile', async () => {
  leaveBehind([named('a'), named('b')]);
  const full = takeLeft(async ({ id }) => {
    if (id === 'a') throw new Error('full');
    leaveBehind([withMessage(named('b'), question('q9', 'a5'), 9)]);
  });
  await expect(full).rejects.toThrow('full');
  const left = await taken();
  expect(left.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(Object.keys(left[1]?.messages ?? {})).toContain('q9');
});
