import { test } from 'vitest';
import { REMEMBERING, sameAfterEdits } from '../golden/caches/edited-dialogues.ts';

const seeds = Array.from({ length: 100 / REMEMBERING.length }, (_, index) => 100 + index);

test.each(REMEMBERING)('ten edited dialogues of %s are the same from what is remembered', async family => {
  await sameAfterEdits(family, seeds);
});
