import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withMessage } from '../../web/conversation/tree.ts';
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

const named = (id: string) => ({ ...sample(), id });

it('what several tabs leave as they go together is all there, once', () => {
  expect(leaveBehind([named('a'), named('b')])).toBe(true);
  leaveBehind([withMessage(named('b'), question('q9', 'a5'), 9), named('c')]);
  const left = takeLeft();
  expect(left.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(Object.keys(left[1]?.messages ?? {})).toContain('q9');
  expect(takeLeft()).toEqual([]);
});

it('what is deleted is not left behind either', () => {
  leaveBehind([named('a'), named('b')]);
  dropLeft(['b', 'x']);
  expect(takeLeft().map(({ id }) => id)).toEqual(['a']);
});
