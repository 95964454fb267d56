import { expect, test } from 'vitest';
import { leaveUsedMemory } from '../../src/bench/machine-memory.ts';

const MB = 1 << 20;

test('the memory is written to, and given back', async () => {
  const before = process.memoryUsage.rss();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await leaveUsedMemory(600 * MB);
  clearInterval(watch);
  peak = Math.max(peak, process.resourceUsage().maxRSS * 1024);
  expect(peak).toBeGreaterThan(before + 500 * MB);
  expect(process.memoryUsage.rss()).toBeLessThan(before + 200 * MB);
});

test.each([0, 0.5, 1])('%s bytes are no error', async bytes => {
  await expect(leaveUsedMemory(bytes)).resolves.toBeUndefined();
});
