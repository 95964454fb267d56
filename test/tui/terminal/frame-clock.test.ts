import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FrameClock } from '../../../src/tui/terminal/clocks.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Frames that are drawn in a second when something changes every millisecond and a frame takes so long. */
function framesInASecond(costMs: number): number {
  let frames = 0;
  const clock = new FrameClock(() => {
    frames += 1;
    clock.begin();
    vi.advanceTimersByTime(costMs);
    clock.written();
  });
  const end = performance.now() + 1000;
  while (performance.now() < end) {
    clock.request();
    vi.advanceTimersByTime(1);
  }
  clock.stop();
  return frames;
}

test('no more than 20 frames a second, fewer where they are dear, no fewer than 10', () => {
  expect(framesInASecond(0)).toBeGreaterThan(15);
  // The first one is at the very beginning.
  expect(framesInASecond(0)).toBeLessThanOrEqual(21);
  expect(framesInASecond(8)).toBeLessThan(15);
  expect(framesInASecond(30)).toBeGreaterThanOrEqual(9);
});

test('the first change is drawn at once, many changes as one, and none after a stop', () => {
  const draw = vi.fn();
  const clock = new FrameClock(draw);
  for (let change = 0; change < 10; change++) clock.request();
  vi.advanceTimersByTime(0);
  expect(draw).toHaveBeenCalledTimes(1);
  clock.begin();
  clock.request();
  clock.stop();
  vi.advanceTimersByTime(1000);
  expect(draw).toHaveBeenCalledTimes(1);
});
