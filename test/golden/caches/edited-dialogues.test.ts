import { test } from 'vitest';
import { REMEMBERING, sameAfterEdits } from './edited-dialogues.ts';

test.each(REMEMBERING)('edited dialogues of %s are the same from what is remembered', async family => {
  await sameAfterEdits(family, [1, 2]);
});
