import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputCompletion } from '../../src/mcp/resources/input-completion.ts';
import { splitWords } from '../../src/mcp/resources/input-references.ts';

const PROMPTS = [
  {
    server: 'code',
    name: 'review',
    arguments: [
      { name: 'language', required: true },
      { name: 'level', required: false },
    ],
  },
];
const RESOURCES = [
  { server: 'repo', uri: 'repo://{owner}/{name}/file{+path}', template: true },
  { server: 'repo', uri: 'repo://readme', template: false },
  { server: 'odd', uri: 'odd://{?query*}', template: true },
];
const complete = (before: string) => inputCompletion(before, PROMPTS, RESOURCES);

describe('arguments of a prompt', () => {
  test.each([
    ['/code:review ', 13, ['language=', 'level=']],
    ['/code:review le', 13, ['level=']],
    ['/code:review language=ts ', 25, ['level=']],
    ['/code:review language="two words" l', 34, ['level=']],
  ])('%j: the names at %i that are not given yet: %j', (before, start, options) => {
    expect(complete(before)).toEqual({ start, options });
  });

  test.each([
    ['/code:review language=', 22, '', {}],
    ['/code:review language=ty', 22, 'ty', {}],
    ['/code:review level=high language="c s', 33, 'c s', { level: 'high' }],
    ['/code:review level="a \\"b\\"" language=x', 38, 'x', { level: 'a "b"' }],
  ])('%j: the value at %i is %j', (before, start, value, context) => {
    expect(complete(before)).toMatchObject({
      start,
      request: {
        server: 'code',
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value },
        context,
      },
    });
  });

  test.each([
    '/code:review',
    '/code:other x=',
    '/other:review x=',
    'code:review ',
    '/code:review nothing=',
    '',
  ])('%j: nothing', before => {
    expect(complete(before)).toBeUndefined();
  });

  test('a value is read back as it was given', () => {
    const found = complete('/code:review language=');
    const write = found && 'write' in found ? found.write : expect.unreachable;
    expect(write('a\nb')).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), value => {
        const written = write(value);
        if (/[\n\r]/.test(value)) return;
        expect(splitWords(`language=${written}`)).toEqual([`language=${value}`]);
      }),
    );
  });
});

describe('parts of a template', () => {
  test.each([
    ['@repo:repo://', 13, 'owner', '', {}],
    ['see @repo:repo://ac', 17, 'owner', 'ac', {}],
    ['@repo:repo://acme/sh', 18, 'name', 'sh', { owner: 'acme' }],
    ['@repo:repo://a%20b/c/file/src/ma', 25, 'path', '/src/ma', { owner: 'a b', name: 'c' }],
    ['@repo:repo://50%/x', 17, 'name', 'x', { owner: '50%' }],
  ])('%j: at %i %s=%j', (before, start, name, value, context) => {
    expect(complete(before)).toMatchObject({
      start,
      request: {
        server: 'repo',
        ref: { type: 'ref/resource', uri: RESOURCES[0]?.uri },
        argument: { name, value },
        context,
      },
    });
  });

  test.each([
    '@repo:',
    '@repo:other://x',
    '@odd:odd://x',
    '@nobody:repo://x',
    'x@repo:repo://x',
    '@repo:repo://a b',
  ])('%j: nothing', before => {
    expect(complete(before)).toBeUndefined();
  });

  test('a value is written as a part of an address', () => {
    const write = (before: string, value: string) => {
      const found = complete(before);
      return found && 'write' in found ? found.write(value) : undefined;
    };
    expect(write('@repo:repo://', 'a/b c')).toBe('a%2Fb%20c');
    expect(write('@repo:repo://a/b/file', '/src/x y')).toBe('/src/x%20y');
    expect(write('@repo:repo://', '\ud800')).toBe('%EF%BF%BD');
  });
});

test('any text at all is taken', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('', '/code:review ', '@repo:repo://'), (text, start) => {
      complete(start + text);
    }),
  );
});
