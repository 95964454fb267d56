import { expect, test } from 'vitest';
import { cacheBytesFor } from '../../src/engine/cache-bytes.ts';

const MB = 2 ** 20;

test.each([
  ['a tiny model has room for several conversations', MB, 256],
  ['a small one for four times its weights', 100 * MB, 400],
  ['a large one for no more than a gigabyte', 8000 * MB, 1024],
])('%s', (_, weights, megabytes) => {
  expect(cacheBytesFor(weights) / MB).toBe(megabytes);
});
