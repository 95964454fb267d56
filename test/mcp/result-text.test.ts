import { describe, expect, it } from 'vitest';
import { resultText } from '../../src/mcp/result-text.ts';

const text = (value: string) => ({ type: 'text', text: value });

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
