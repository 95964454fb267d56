import { expect, test } from 'vitest';
import type { FooterInfo } from '../../../src/tui/state/screen-state.ts';
import { ThrottledFooter } from '../../../src/tui/state/throttled-footer.ts';

const FOOTER: FooterInfo = {
  model: 'granite',
  device: 'cpu',
  contextUsed: 0,
  contextLength: 4096,
  rate: undefined,
  tools: 10,
  serversUp: 2,
  servers: 2,
};

/** The footer read so many times, one token later each time, `stepMs` apart. */
function read(times: number, stepMs: number, streams: boolean): FooterInfo[] {
  let contextUsed = 0;
  const footer = new ThrottledFooter(() => ({ ...FOOTER, contextUsed: contextUsed++ }));
  return Array.from({ length: times }, (_, at) => footer.at(5000 + at * stepMs, streams));
}

test('while a reply streams a new one comes once a second, so that Ink lays out once a second', () => {
  const shown = read(41, 50, true);
  expect(new Set(shown).size).toBe(3);
  expect(shown.at(-1)?.contextUsed).toBe(40);
});

test('what is not the context shows at once, and so does everything between turns', () => {
  expect(new Set(read(10, 50, false)).size).toBe(10);
  let tools = 10;
  const footer = new ThrottledFooter(() => ({ ...FOOTER, tools: tools++ }));
  expect([footer.at(1, true).tools, footer.at(2, true).tools]).toEqual([10, 11]);
});

test('a clock that is set back does not hold it', () => {
  let contextUsed = 0;
  const footer = new ThrottledFooter(() => ({ ...FOOTER, contextUsed: contextUsed++ }));
  footer.at(1_000_000, true);
  expect(footer.at(5, true).contextUsed).toBe(1);
});
