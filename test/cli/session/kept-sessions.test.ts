import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSession } from '../../../src/cli/session/saved-sessions.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { content } from '../../agent/fakes.ts';
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

test.each([
  ['/clear', []],
  ['/load', ['X', 'x']],
])('after %s a turn that fails leaves the file of --save; the next one takes it', async (line, loaded) => {
  const broken = new LlmHostError('ENGINE', 'it broke');
  const { ask, folder, session, type } = place([...says('x', 'a'), broken, [content('b')]], {
    saveTo: 'talk.json',
  });
  const file = (name: string) => join(folder, name);
  const kept = () =>
    readSession(file('talk.json'))
      .messages.slice(1)
      .map(message => message.content);
  await ask('X');
  await type(`/save ${file('other.json')}`);
  await type('/clear');
  await ask('A');
  await type(line === '/load' ? `/load ${file('other.json')}` : line);
  expect(kept()).toEqual(['A', 'a']);
  await ask('B');
  if (line === '/clear') expect(kept()).toEqual(['A', 'a']);
  await ask('B');
  expect(kept()).toEqual([...loaded, 'B', 'b']);
  // Taken back, it is empty: nothing else was in it.
  for (const _turn of ['B', ...loaded.slice(1)]) session.undo();
  expect(kept()).toEqual([]);
});
