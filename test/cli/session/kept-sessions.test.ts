import { expect, test } from 'vitest';
import { readSession } from '../../../src/cli/session/saved-sessions.ts';
import { place, says } from '../builtins/place.ts';

test('/clear and /load begin another conversation: the one before stays saved', async () => {
  const { ask, session, type } = place(says('1', '2', '3', '4'));
  const kept = () =>
    session.folder.list().map(({ path }) =>
      readSession(path)
        .messages.slice(1)
        .map(({ content }) => content),
    );
  await ask('A');
  await type('/clear');
  await ask('B');
  expect(kept()).toEqual([
    ['B', '2'],
    ['A', '1'],
  ]);
  await type('/load 2');
  await ask('C');
  expect(kept()).toEqual([
    ['A', '1', 'C', '3'],
    ['B', '2'],
    ['A', '1'],
  ]);
  await ask('D');
  expect(kept()).toHaveLength(3);
});
