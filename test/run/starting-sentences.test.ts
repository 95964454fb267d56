import { expect, test } from 'vitest';
import { startingSentences } from '../../src/run/start-servers.ts';

const starting = (name: string, installing = false) => ({
  name,
  state: 'starting' as const,
  tools: 0,
  installing,
});

test.each([
  [[], []],
  [[starting('a')], ["Server 'a' is still starting; its tools join when it is ready."]],
  [
    [starting('a'), starting('b', true), starting('c'), starting('d', true)],
    [
      "Servers 'a', 'c' are still starting; their tools join when they are ready.",
      "Servers 'b', 'd' are installing their packages, which may take minutes; their tools join then.",
    ],
  ],
  [
    [starting('b', true)],
    ["Server 'b' is installing its package, which may take minutes; its tools join then."],
  ],
  [
    'abcdef'.split('').map(name => starting(name)),
    ['6 servers are still starting; their tools join when they are ready.'],
  ],
  [
    [
      { ...starting('a'), state: 'ready' as const },
      { ...starting('b', true), state: 'failed' as const },
    ],
    [],
  ],
])('%j', (servers, sentences) => {
  expect(startingSentences(servers)).toEqual(sentences);
});
