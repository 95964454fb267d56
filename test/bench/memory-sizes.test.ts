import { totalmem } from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { partBytes, partsOf } from '../../src/bench/machine-memory.ts';

const MB = 2 ** 20;
const GB = 2 ** 30;

describe('on a Mac, which counts only the pages that are free', () => {
  beforeEach(() => {
    vi.spyOn(process, 'availableMemory').mockReturnValue(60 * MB);
    const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
    Object.defineProperty(process, 'platform', { ...own, value: 'darwin' });
    return () => Object.defineProperty(process, 'platform', own);
  });
  afterEach(() => vi.restoreAllMocks());

  // Of this machine's memory, so that it may be a small one.
  const bytes = Math.floor(totalmem() / 8);

  test('the threads read all the bytes', () => {
    expect(partBytes(2, bytes)).toBe(Math.ceil(bytes / 2));
  });

  test('all the memory is written to', () => {
    expect(partsOf(bytes).reduce((sum, part) => sum + part)).toBe(bytes);
  });
});

test.each([
  [4, 8 * GB, 16 * GB, GB],
  [4, 2 * GB, 16 * GB, GB / 2],
  [4, 100, 16 * GB, MB],
])('%i threads and %i bytes of %i: %i each', (threads, bytes, available, each) => {
  expect(partBytes(threads, bytes, available)).toBe(each);
});

test.each([
  [3 * GB, 16 * GB, [GB, GB, GB]],
  [3 * GB, 3 * GB, [GB, GB / 2]],
  [0, 16 * GB, [1]],
])('%i bytes of %i: parts of %j', (bytes, available, parts) => {
  expect(partsOf(bytes, available)).toEqual(parts);
});
