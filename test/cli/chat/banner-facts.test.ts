import { expect, test } from 'vitest';
import { folderText, serversText } from '../../../src/cli/chat/screen-session.ts';

test('the servers: how many tools each has, or why none', () => {
  const server = (
    name: string,
    state: 'ready' | 'starting' | 'failed' | 'disabled' | 'closed',
    tools = 0,
  ) => ({
    name,
    state,
    tools,
  });
  expect(
    serversText([
      server('a', 'ready', 3),
      server('b', 'starting'),
      { ...server('c', 'starting'), installing: true },
      server('d', 'failed'),
      server('e', 'disabled'),
      server('f', 'closed'),
    ]),
  ).toBe('a (3), b (starting), c (installing…), d (failed: see /mcp)');
  expect(serversText([server('e', 'disabled')])).toBe('none');
  expect(serversText([])).toBe('none');
});

const HOME = '/home/ada';

test.each([
  ['no folder of a server', [{}], '/home/ada/work', '~/work'],
  ['the same folder', [{ folders: ['/srv/a'] }, {}], '/srv/a', '/srv/a'],
  ['the home folder itself', [], HOME, '~'],
  ['a folder whose name begins like the home folder', [], '/home/adam', '/home/adam'],
  [
    "the demo's folder",
    [{}, { folders: ['/home/ada/.local/state/llm-host/demo-files'] }],
    '/home/ada/work',
    '~/.local/state/llm-host/demo-files for the tools\n~/work for @path',
  ],
  [
    'two servers, one of them here',
    [{ folders: ['/srv/a', '/srv/b'] }, { folders: ['/srv/b'] }],
    '/srv/a',
    '/srv/a, /srv/b for the tools\n/srv/a for @path',
  ],
])('the folder that the banner names: %s', (_case, servers, cwd, said) => {
  expect(folderText(servers, cwd, HOME)).toBe(said);
});
