import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResizeClock } from '../../../src/tui/terminal/clocks.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a window that is being dragged settles once, after it was let go', () => {
  const settled = vi.fn();
  const clock = new ResizeClock(settled);
  for (let resizes = 0; resizes < 10; resizes++) {
    clock.resized();
    vi.advanceTimersByTime(250);
  }
  expect(clock.running).toBe(true);
  expect(settled).not.toHaveBeenCalled();
  vi.advanceTimersByTime(150);
  vi.runAllTimers();
  expect(clock.running).toBe(false);
  expect(settled).toHaveBeenCalledTimes(1);
});

test('a size that comes while the program is kept waiting is heard before the old one settles', () => {
  const settled = vi.fn();
  const clock = new ResizeClock(settled);
  clock.resized();
  vi.advanceTimersToNextTimer();
  // The timer is due, and what the system has told meanwhile comes first.
  clock.resized();
  vi.advanceTimersByTime(399);
  expect(settled).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  vi.runAllTimers();
  expect(settled).toHaveBeenCalledTimes(1);
});

test('finish settles at once, and only if there is something to settle', () => {
  const settled = vi.fn();
  const clock = new ResizeClock(settled);
  clock.finish();
  expect(settled).not.toHaveBeenCalled();
  clock.resized();
  clock.finish();
  vi.advanceTimersByTime(1000);
  expect(settled).toHaveBeenCalledTimes(1);
});
