import { describe, expect, it } from 'vitest';
import { promptReference, resourceReferences, splitWords } from '../../src/mcp/resources/input-references.ts';

const SERVERS = ['docs', 'docs-old', 'my server'];

describe('resources in a prompt', () => {
  it.each<[string, string[]]>([
    ['see @docs:file:///a.md, please', ['docs file:///a.md']],
    ['(@docs:a) and "@docs-old:b".', ['docs a', 'docs-old b']],
    ['@docs:a @docs:a', ['docs a']],
    ['@my server:x?', ['my server x']],
    ['mail me@docs:a or @nobody:a, or @docs alone, or @docs: nothing', []],
  ])('%s', (input, found) => {
    expect(resourceReferences(input, SERVERS).map(({ server, uri }) => `${server} ${uri}`)).toEqual(found);
  });
});

describe('a prompt as the whole input', () => {
  it('takes arguments, quoted where they have blanks', () => {
    expect(promptReference('/docs:review file="a b.ts" style=short', SERVERS)).toEqual({
      server: 'docs',
      prompt: 'review',
      arguments: { file: 'a b.ts', style: 'short' },
    });
    expect(promptReference('/docs:x q=a=b', SERVERS)?.arguments).toEqual({ q: 'a=b' });
  });

  it('is none for another server or a path', () => {
    for (const input of ['/other:x', '/usr/bin', 'docs:x', '/docs']) {
      expect(promptReference(input, SERVERS)).toBeUndefined();
    }
  });

  it('refuses an argument without a key', () => {
    expect(() => promptReference('/docs:x word', SERVERS)).toThrow("'word' is not an argument");
  });
});

it.each<[string, string[]]>([
  ['a  b', ['a', 'b']],
  [`a="b c" 'd "e' ""`, ['a=b c', 'd "e', '']],
  ['a\\ b "c\\"d" C:\\x', ['a b', 'c"d', 'C:\\x']],
  ['"open', ['open']],
])('words of %s', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
