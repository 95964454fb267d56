import { expect, test } from 'vitest';
import { place, says } from '../builtins/place.ts';

test('a file that a prompt names in vain is logged as an error', async () => {
  const { ask, folder, logged } = place([]);
  await ask(`read @${folder}/none.txt`);
  expect(JSON.parse(logged())).toMatchObject({
    msg: 'error',
    turn: { code: 'USAGE', message: expect.stringContaining('none.txt') },
  });
});

test('with debug messages the prompt comes first, and no event twice', async () => {
  const { ask, logged, type } = place(says('One.'));
  await type('debug');
  await ask('Hello');
  const lines = logged()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).msg);
  expect(lines).toEqual(['user', 'stats', 'assistant']);
});
