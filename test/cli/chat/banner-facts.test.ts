import { expect, test } from 'vitest';
import { folderText } from '../../../src/cli/chat/banner-facts.ts';

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
