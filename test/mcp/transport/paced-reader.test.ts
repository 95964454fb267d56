import { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PacedReader, SLICE_MESSAGES } from '../../../src/mcp/transport/paced-reader.ts';

// Only this clock runs, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());
const busy = (ms: number) => vi.advanceTimersByTime(ms);
const rounds = async (count: number) => {
  for (let round = 0; round < count; round++) await nextRound();
};

/** A reader of numbers, one a byte, each of which costs time and is handed on. */
function reading(costMs: number) {
  const stream = new PassThrough();
  const seen: number[] = [];
  const reader: PacedReader = new PacedReader(stream, function* (chunk) {
    for (const byte of chunk) {
      busy(costMs);
      seen.push(byte);
      reader.noteMessage();
      yield;
    }
  });
  return { stream, seen, reader };
}

it('hands on everything in order, in small parts', async () => {
  const { stream, seen } = reading(0);
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 256));
  stream.write(bytes.subarray(0, 3000));
  stream.end(bytes.subarray(3000));
  let most = 0;
  for (let before = 0; seen.length < 5000; before = seen.length) {
    await nextRound();
    most = Math.max(most, seen.length - before);
  }
  expect(Buffer.from(seen)).toEqual(bytes);
  expect(most).toBeLessThanOrEqual(2 * SLICE_MESSAGES);
});

it('large messages leave room for others in between', async () => {
  const { stream, seen } = reading(30);
  stream.end(Buffer.alloc(10));
  await rounds(5);
  for (let read = 1; read < 10; read++) {
    // Others have it for 20 ms, however many rounds that is.
    expect(seen).toHaveLength(read);
    busy(19);
    await rounds(20);
    expect(seen).toHaveLength(read);
    busy(1);
    await rounds(5);
  }
  expect(seen).toHaveLength(10);
});

it('what is left of a process that is gone is read without pauses', async () => {
  const { stream, reader, seen } = reading(30);
  reader.rush();
  stream.end(Buffer.alloc(10));
  // And yet not at once.
  await rounds(3);
  expect(seen.length).toBeLessThan(10);
  await rounds(30);
  expect(seen).toHaveLength(10);
});

it('drains the rest of the last chunk when asked', async () => {
  const { stream, reader, seen } = reading(0);
  stream.end(Buffer.alloc(5000));
  while (seen.length === 0) await nextRound();
  expect(seen.length).toBeLessThan(5000);
  reader.drain();
  expect(seen).toHaveLength(5000);
  reader.drain();
  for (let round = 0; round < 5; round++) await nextRound();
  expect(seen).toHaveLength(5000);
});
