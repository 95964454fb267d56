import { describe, expect, it } from 'vitest';
import { resultText } from '../../src/mcp/calls/result-text.ts';

const text = (value: string) => ({ type: 'text', text: value });

/** A resource as bytes. */
const blob = (mimeType: unknown, bytes: string | Buffer) => ({
  content: [
    {
      type: 'resource',
      resource: { uri: 'x:1', mimeType, blob: Buffer.from(bytes as string).toString('base64') },
    },
  ],
});

describe('a resource that came as bytes', () => {
  it.each([
    ['text/plain', 'grün', 'grün'],
    ['TEXT/Markdown; charset=UTF-8', '# A', '# A'],
    ['text/plain; charset="iso-8859-1"', Buffer.from('grün', 'latin1'), 'grün'],
    ['text/csv;header=present', 'a,b', 'a,b'],
    ['application/json', '{"a":1}', '{"a":1}'],
    ['application/problem+json', '{}', '{}'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['application/yaml', 'a: 1', 'a: 1'],
    ['text/plain', '', ''],
    ['text/plain', 'a\u001b[2Jb', 'ab'],
  ])('%s is text', (mimeType, bytes, expected) => {
    expect(resultText(blob(mimeType, bytes), 1000)).toBe(`[resource x:1, ${mimeType}]\n${expected}`);
  });

  it.each([
    ['text/plain', Buffer.from([0x67, 0xfc, 0x6e]), '3 bytes'],
    ['text/plain; charset=klingon', 'nuq', '3 bytes'],
    ['application/octet-stream', 'words', '5 bytes'],
    ['application/pdf', '%PDF', '4 bytes'],
    ['text/', 'words', '5 bytes'],
  ])('%s, %j is shown by its size', (mimeType, bytes, size) => {
    expect(resultText(blob(mimeType, bytes), 1000)).toBe(`[resource x:1, ${mimeType}, ${size}]`);
  });

  it.each([[7], [undefined], [{}], ['']])('of the type %j: by its size', type => {
    expect(resultText(blob(type, 'words'), 1000)).toBe('[resource x:1, 5 bytes]');
  });

  it('of a type of a megabyte: not read as one', () => {
    const shown = resultText(blob(`a/${'b+'.repeat(500_000)}json`, 'words'), 100);
    expect(shown).toMatch(/^\[resource x:1, a\/b/);
    expect(shown).not.toContain('words');
  });

  it('is cut where a text would be', () => {
    const label = '[resource x:1, text/plain]\n';
    expect(resultText(blob('text/plain', 'a'.repeat(5_000_000)), 100)).toBe(
      `${label}${'a'.repeat(100 - label.length)}\n... [cut: 100 of ${5_000_000 + label.length} characters]`,
    );
  });
});

describe('resultText', () => {
  it.each([
    [{ content: [text('one'), text('two')] }, 'one\ntwo'],
    [{ content: [text('')] }, ''],
    [{ content: [] }, '(no output)'],
    [{}, '(no output)'],
    [{ isError: true }, 'Error: the tool failed without saying why.'],
    [{ structuredContent: { a: [1, 2] } }, '{"a":[1,2]}'],
    [{ content: [text('words')], structuredContent: { a: 1 } }, 'words'],
    [{ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, '[image image/png, 3 bytes]'],
    [
      { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'A'.repeat(4000) }] },
      '[audio audio/wav, 3 kB]',
    ],
    [{ content: [{ type: 'image' }] }, '[image of unknown type, 0 bytes]'],
    [
      {
        content: [
          { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'body' } },
        ],
      },
      '[resource file:///a.txt, text/plain]\nbody',
    ],
    [
      { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } }] },
      '[resource file:///a, 3 bytes]',
    ],
    [{ content: [{ type: 'resource' }] }, '[resource without content]'],
    [
      { content: [{ type: 'resource_link', uri: 'https://e.org', name: 'page', description: 'a page' }] },
      '[link https://e.org, page, a page]',
    ],
    [{ content: [{ type: 'hologram' }] }, '[hologram block, not shown]'],
    [{ content: [{ type: 'text', text: 42 }] }, ''],
  ])('%j', (result, expected) => {
    expect(resultText(result, 1000)).toBe(expected);
  });

  it('cuts with a note, never inside a character', () => {
    expect(resultText({ content: [text('abcdef')] }, 6)).toBe('abcdef');
    expect(resultText({ content: [text('abcdefg')] }, 6)).toBe('abcdef\n... [cut: 6 of 7 characters]');
    expect(resultText({ content: [text('ab😀')] }, 3)).toBe('ab\uFFFD\n... [cut: 3 of 4 characters]');
  });

  it('makes the text well-formed', () => {
    expect(resultText({ content: [text('a\uD800b')] }, 10)).toBe('a\uFFFDb');
  });
});
