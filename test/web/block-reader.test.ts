import fc from 'fast-check';
import { lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { BlockReader } from '../../web/markdown/block-reader.ts';
import { codePieces, codeSections } from '../../web/markdown/code-pieces.ts';

const TEXT = `# Title

A paragraph with **bold** words,
over two lines.

Setext
======

- a list

  with a paragraph
- and more
    1. nested

| a | b |
| - | - |
| 1 | 2 |

\`\`\`python
def f():

    return "# no heading"
\`\`\`

> quoted
> twice

<div>

text

</div>

The end\r
of it.`;

const shape = (text: string) =>
  lexer(text.replaceAll(/\r\n?/g, '\n'))
    .filter(({ type }) => type !== 'space')
    .map(({ type, raw }) => [type, raw]);

const read = (reader: BlockReader, text: string, complete: boolean) =>
  reader.read(text, complete).map(({ token: { type, raw } }) => [type, raw]);

describe('a text that grows', () => {
  it('is read as the whole would be, at every length and however it is cut', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: TEXT.length }), { maxLength: 30 });
    fc.assert(
      fc.property(lengths, cuts => {
        const reader = new BlockReader(() => 0);
        for (const end of [...cuts.sort((a, b) => a - b), TEXT.length]) {
          const text = TEXT.slice(0, end);
          expect(read(reader, text, false)).toEqual(shape(text));
        }
        expect(read(reader, TEXT, true)).toEqual(shape(TEXT));
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the blocks that others follow, and where each begins', () => {
    const reader = new BlockReader(() => 0);
    const before = [...reader.read('One\n\nTwo\n\nThree\n\nFou', false)];
    const after = [...reader.read('One\n\nTwo\n\nThree\n\nFour and more', false)];
    expect(after[0]).toBe(before[0]);
    expect(after.map(({ at }) => at)).toEqual([0, 5, 10, 17]);
    expect(before.map(({ at }) => at)).toEqual([0, 5, 10, 17]);
  });

  it('may become another text', () => {
    const reader = new BlockReader(() => 0);
    reader.read('One\n\nTwo\n\nThree\n\nFour', false);
    expect(read(reader, '# Other', false)).toEqual(shape('# Other'));
    expect(read(reader, '', false)).toEqual([]);
  });

  it('that is slow to read is shown as it is for a while', () => {
    let clock = 0;
    const reader = new BlockReader(() => {
      clock += 20;
      return clock;
    });
    expect(read(reader, '# a', false)).toEqual([['heading', '# a']]);
    expect(read(reader, '# a\n\n# b', false)).toEqual([
      ['heading', '# a'],
      ['text', '\n\n# b'],
    ]);
    clock += 1000;
    expect(read(reader, '# a\n\n# b\n\nc', false).map(([type]) => type)).toEqual([
      'heading',
      'heading',
      'paragraph',
    ]);
    expect(read(reader, '# a\n\n# b\n\nc\n\nd', true)).toHaveLength(4);
  });

  it('of 2,000 lines costs no more at its end than at its beginning', () => {
    const reader = new BlockReader(() => 0);
    let text = '';
    let last: readonly object[] = [];
    for (let line = 0; line < 2000; line += 1) {
      text += `Line ${line} with **bold** words.\n\n`;
      const blocks = reader.read(text, false);
      // All but the last two are the same objects as before.
      for (const at of [0, blocks.length - 4])
        if (at >= 0 && at < last.length - 2) expect(blocks[at]).toBe(last[at]);
      last = blocks;
    }
    expect(last).toHaveLength(2000);
  });

  it('beyond a million characters is shown as it is', () => {
    const text = '# x\n\n'.repeat(250_001);
    expect(read(new BlockReader(() => 0), text, true)).toEqual([['text', text]]);
  });
});

describe('code', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

  it('is one section where it is short and complete, else has sections of 64 lines', () => {
    expect(codeSections(lines(100), false)).toHaveLength(1);
    expect(codeSections(lines(100), true).map(section => section.split('\n').length)).toEqual([64, 36]);
    expect(codeSections(lines(3200), false)).toHaveLength(50);
    for (const open of [false, true]) expect(codeSections(lines(3000), open).join('\n')).toBe(lines(3000));
    expect(codeSections('', true)).toEqual(['']);
  });

  it('is coloured in pieces of 8 lines while it grows', () => {
    expect(codePieces(lines(64), true)).toHaveLength(8);
    expect(codePieces(lines(17), true)).toEqual([...codePieces(lines(16), true), 'line 16']);
    expect(codePieces(lines(64), false)).toEqual([lines(64)]);
    // A line has just ended.
    expect(codePieces(`${lines(8)}\n`, true)).toEqual([lines(8), '']);
  });

  it('keeps its sections while lines come', () => {
    const before = codeSections(lines(200), true);
    expect(codeSections(`${lines(200)}\nmore`, true).slice(0, 3)).toEqual(before.slice(0, 3));
  });
});
