import { expect, test } from 'vitest';
import { cacheBytesFor } from '../../src/engine/load-engine.ts';

const MB = 2 ** 20;

test.each([
  ['a tiny model has room for several conversations', MB, 9000, 256],
  ['a small one for four times its weights', 100 * MB, 9000, 400],
  ['a large one for no more than a gigabyte', 8000 * MB, 9000, 1024],
  ['and none for more than fits', 8000 * MB, 100, 100],
])('%s', (_, weights, left, megabytes) => {
  expect(cacheBytesFor(weights, left * MB) / MB).toBe(megabytes);
});
