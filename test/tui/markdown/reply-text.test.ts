import { describe, expect, test } from 'vitest';
import { ReplyText } from '../../../src/tui/markdown/reply-text.ts';
import { chooseTheme } from '../../../src/tui/style/theme.ts';

const view = { width: 40, height: 8, theme: chooseTheme('none', false, {}) };
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are no text
const plain = (line: string) => line.replaceAll(/\u001b\[[0-9;]*m/g, '').trimEnd();

/** What a reply leaves on the screen when it comes in pieces of `size` characters. */
function streamed(text: string, size: number, height = 8): string[] {
  const reply = new ReplyText();
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    reply.push(text.slice(at, at + size));
    const { settled, live } = reply.lines({ ...view, height });
    expect(live.length).toBeLessThanOrEqual(height);
    lines.push(...settled);
  }
  return [...lines, ...reply.end(view)].map(plain);
}

const TEXT = `# Title

A paragraph with **bold**, \`code\` and [a link](https://x.y), long enough to wrap.

- one
- two
  - nested

1. first
2. second

| name | n |
| :--- | --: |
| a | 1 |
| 漢字 | 22 |

\`\`\`python
def f(x): # comment
    return "s"
\`\`\`

> quoted

Done.`;

describe('a reply', () => {
  test('is rendered the same however it is cut into tokens', () => {
    const whole = streamed(TEXT, 10_000);
    for (const size of [1, 3, 17]) expect(streamed(TEXT, size)).toEqual(whole);
    expect(whole.join('\n')).toMatchInlineSnapshot(`
      "assistant ->
      Title

      A paragraph with bold, code and a link
      (https://x.y), long enough to wrap.

      • one
      • two
        • nested

      1. first
      2. second

      name │   n
      ─────┼────
      a    │   1
      漢字 │  22

        python
        def f(x): # comment
            return "s"

      │ quoted

      Done."
    `);
  });

  test('the label stands before the first words of a paragraph, and takes part in the wrapping', () => {
    expect(streamed('one two three four five six seven eight', 4)).toEqual([
      'assistant -> one two three four five six',
      'seven eight',
    ]);
    expect(streamed('\n\n  Paris.', 1)).toEqual(['assistant -> Paris.']);
  });

  test('a block taller than the window settles from its top, once', () => {
    const code = `\`\`\`js\n${Array.from({ length: 60 }, (_, index) => `line(${index});`).join('\n')}\n\`\`\`\nEnd.`;
    const lines = streamed(code, 7, 4);
    expect(lines.filter(line => line.includes('line('))).toEqual(
      Array.from({ length: 60 }, (_, index) => `  line(${index});`),
    );
    expect(lines.at(-1)).toBe('End.');
  });

  test('a block without end is cut, nothing lost or doubled', () => {
    const words = Array.from({ length: 900 }, (_, index) => `w${index}`);
    const lines = streamed(words.join(' '), 50, 4);
    expect(lines.join(' ').replace('assistant -> ', '').split(/\s+/)).toEqual(words);
    const code = Array.from({ length: 500 }, (_, index) => `c${index};`);
    const block = streamed(`\`\`\`js\n${code.join('\n')}\n\`\`\``, 50, 4);
    expect(block.map(line => line.trim()).filter(line => line.startsWith('c'))).toEqual(code);
  });

  test.each(['    ', '   '])(
    'a long list is cut between its items, what is nested by %j stays nested',
    indent => {
      const item = (at: number) =>
        `${at + 1}. **Idea ${at + 1}**: what it is about\n${indent}- a detail of its own\n`;
      const list = `Ideas:\n\n${Array.from({ length: 80 }, (_, at) => item(at)).join('')}\nDone.`;
      expect(streamed(list, 3)).toEqual(streamed(list, 100_000));
    },
  );

  test('an item as tall as many windows loses nothing', () => {
    const words = Array.from({ length: 900 }, (_, index) => `w${index}`);
    const lines = streamed(`1. first\n2. ${words.join(' ')}\n3. third`, 50, 4);
    expect(
      lines
        .join(' ')
        .split(/\s+/)
        .filter(word => /^w\d/.test(word)),
    ).toEqual(words);
    expect(lines.at(-1)).toContain('third');
  });

  test('a long paragraph fills every row', () => {
    const text = `It **begins** so. ${'word after word and so on '.repeat(300)}`;
    expect(streamed(text, 3)).toEqual(streamed(text, 100_000));
  });

  test('control sequences of the model never get through', () => {
    expect(streamed('a\u001b[2Jb\u001b]0;t\u0007c', 100)).toEqual(['assistant -> abc']);
  });

  test('items to be ticked stay in the window, also those of paragraphs', () => {
    const words = 'a word or two that go on until the row is full';
    const rows = ['assistant ->', '• [ ] a word or two that go on until the', '      row is full'];
    expect(streamed(`- [ ] ${words}`, 7)).toEqual(rows);
    expect(streamed(`- [x] ${words}\n\n  and more`, 7)).toEqual([
      ...rows.map(row => row.replace('[ ]', '[x]')),
      ...['', '      and more'],
    ]);
  });

  test('a list begins with the number that it says, also with 0', () => {
    expect(streamed('0. a\n1. b', 3)).toEqual(['assistant ->', '0. a', '1. b']);
    expect(streamed('7. a\n7. b', 3)).toEqual(['assistant ->', '7. a', '8. b']);
  });

  test.each(['constructor', '__proto__'])('a fence that names %s is one of an unknown language', name => {
    expect(streamed(`\`\`\`${name}\nx = 1\n\`\`\``, 5)).toEqual(['assistant ->', `  ${name}`, '  x = 1']);
  });

  test.each([
    ['quotes', `${'>'.repeat(3000)} the end`],
    ['lists', `${'- '.repeat(3000)}the end`],
    ['quotes in lists', `${'- > '.repeat(40)}the end`],
  ])('%s nested deeper than anybody writes are shown as they came', (_what, text) => {
    for (const size of [500, 100_000]) {
      const shown = streamed(text, size)
        .join('')
        .replaceAll(/[\s│•]/g, '');
      expect(shown).toContain('theend');
    }
  });

  test('a window one column wide is survived', () => {
    const reply = new ReplyText();
    reply.push(TEXT);
    expect(reply.end({ ...view, width: 1, height: 1 }).length).toBeGreaterThan(50);
  });
});

describe('a window that changes its width in the middle of a block', () => {
  const words = Array.from({ length: 400 }, (_, index) => `w${index}`);
  const plain = words.join(' ');
  const styled = words.map((word, index) => (index % 7 === 0 ? `**${word}**` : word)).join(' ');
  const list = words.map((word, index) => (index % 20 === 0 ? `\n- ${word}` : ` ${word}`)).join('');
  const numbered = list.replaceAll('\n- ', '\n1. ');
  const pictured = words
    .map((word, index) => `${word} ![](https://e.org/i.png) [a](https://e.org/${index})`)
    .join(' ');
  const code = `\`\`\`js\n${words.map((word, index) => word + (index % 12 === 11 ? '\n' : ' ')).join('')}`;

  test.each([
    ['a paragraph', plain],
    ['with styles', styled],
    ['of a list', list],
    ['of pictures without a name, and links', pictured],
    ['of a list that numbers all its items 1', numbered],
    ['of code', code],
  ])('%s: every word once, in its order', (_name, source) => {
    const reply = new ReplyText();
    const shown: string[] = [];
    const widths = [80, 50, 100, 30, 200, 41];
    const step = Math.ceil(source.length / widths.length / 40);
    let at = 0;
    for (const width of widths) {
      for (let frame = 0; frame < 40; frame++, at += step) {
        reply.push(source.slice(at, at + step));
        shown.push(...reply.lines({ ...view, width, height: 6 }).settled);
      }
    }
    reply.push(source.slice(at));
    shown.push(...reply.end({ ...view, width: 60, height: 6 }));
    const found = shown.join(' ').match(/w\d+/g);
    expect(found).toEqual(words);
  });
});
