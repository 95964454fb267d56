import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallClock } from '../../../src/agent/calls/run-tools.ts';

let now = 0;
beforeEach(() => {
  now = 5000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

test('counts what is not spent in questions to the user', () => {
  const clock = new CallClock();
  now += 1000;
  clock.addWait(400);
  clock.setWaiting(true);
  now += 60_000;
  expect(clock.seconds).toBeCloseTo(0.6);
  // Told twice, it is the same question.
  clock.setWaiting(true);
  now += 1000;
  clock.setWaiting(false);
  clock.setWaiting(false);
  now += 2000;
  expect(clock.seconds).toBeCloseTo(2.6);
});

test('is never below nothing', () => {
  const clock = new CallClock();
  clock.addWait(100);
  expect(clock.seconds).toBe(0);
});
