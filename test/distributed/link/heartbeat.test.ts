import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Heartbeat } from '../../../src/distributed/link/channel.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('five silent seconds are the end, told once, with that number', () => {
  const beat = vi.fn();
  const silent = vi.fn();
  new Heartbeat(beat, silent);
  vi.advanceTimersByTime(4999);
  expect(silent).not.toHaveBeenCalled();
  expect(beat).toHaveBeenCalledTimes(4);
  vi.advanceTimersByTime(60_000);
  expect(silent.mock.calls).toEqual([[5]]);
});

test('what is heard begins the count anew; what is stopped says nothing', () => {
  const silent = vi.fn();
  const heartbeat = new Heartbeat(() => undefined, silent);
  for (let second = 0; second < 20; second += 4) {
    vi.advanceTimersByTime(4000);
    heartbeat.heard();
  }
  expect(silent).not.toHaveBeenCalled();
  heartbeat.stop();
  vi.advanceTimersByTime(60_000);
  expect(silent).not.toHaveBeenCalled();
});
