import { describe, expect, test } from 'vitest';
import { EMPTY, withText } from '../../src/tui/editor.ts';
import { cut, editorLines, type Footer, footerLine, menuLines, queueLines } from '../../src/tui/layout.ts';
import { chooseTheme } from '../../src/tui/theme.ts';

const PLAIN = chooseTheme('none', false, {});
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are taken out
const bare = (line: string) => line.replaceAll(/\u001b\[\d+m/g, '');

const FOOTER: Footer = {
  ...{ model: 'granite', device: 'cpu', contextUsed: 512, contextLength: 4096, rate: 61.26 },
  ...{ tools: 10, serversUp: 1, servers: 2 },
};

test.each([
  [80, 'granite · ctx 512/4096 (13%) · 61.3 tok/s · cpu · 10 tools · 1/2 servers'],
  [60, 'granite · ctx 512/4096 (13%) · 61.3 tok/s · cpu · 10 tools'],
  [30, 'granite · ctx 512/4096 (13%)'],
  [10, 'granite'],
  [3, ''],
])('the footer of a window of %i columns', (width, shown) => {
  expect(bare(footerLine(FOOTER, width, PLAIN))).toBe(shown);
});

test('the footer before the first reply has no rate', () => {
  expect(bare(footerLine({ ...FOOTER, rate: undefined, contextUsed: 0 }, 80, PLAIN))).toBe(
    'granite · ctx 0/4096 (0%) · cpu · 10 tools · 1/2 servers',
  );
});

describe('the cursor, which an input method writes at,', () => {
  const at = (text: string, cursor: number, columns = 40) => {
    const { lines, cursor: place } = editorLines({ ...EMPTY, text, cursor }, { columns, rows: 24 });
    return [lines, place];
  };

  test('stands behind wide characters by their columns', () => {
    expect(at('漢字', 2)).toEqual([['prompt -> 漢字'], { row: 0, column: 14 }]);
    expect(at('漢字', 1)).toEqual([['prompt -> 漢字'], { row: 0, column: 12 }]);
    expect(at('👩‍👩‍👧x', '👩‍👩‍👧'.length)).toEqual([['prompt -> 👩‍👩‍👧x'], { row: 0, column: 12 }]);
  });

  test('goes with its line where the prompt wraps, and never into half of a wide character', () => {
    // Nine columns are left beside the label: four characters, and one column that none fits in.
    expect(at('漢字漢字漢', 5, 20)).toEqual([['prompt -> 漢字漢字', '漢'], { row: 1, column: 2 }]);
  });

  test('is among the lines that are shown of a long prompt', () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
    const { lines, cursor } = editorLines(withText(EMPTY, text), { columns: 80, rows: 10 });
    expect([lines.length, lines.at(-1), cursor.row]).toEqual([5, '          line 49', 4]);
    const first = editorLines({ ...EMPTY, text, cursor: 0 }, { columns: 80, rows: 10 });
    expect([first.lines[0], first.cursor.row]).toEqual(['prompt -> line 0', 0]);
  });

  test('has a place in the smallest window', () => {
    const { lines, cursor } = editorLines(withText(EMPTY, '漢a'), { columns: 1, rows: 1 });
    expect(lines).toHaveLength(1);
    expect(cursor.row).toBe(0);
  });
});

test('prompts that wait are shown on a line each, and counted beyond three', () => {
  const lines = queueLines(['one\ntwo', 'b', 'c', 'd', 'e'], 14, PLAIN).map(bare);
  expect(lines).toEqual(['queued: one tw', 'queued: b', 'queued: c', 'and 2 more']);
});

test('the menu shows five around the chosen one', () => {
  const options = Array.from({ length: 9 }, (_, index) => `/c${index}`);
  const state = { ...EMPTY, menu: { start: 0, options, index: 7 } };
  expect(menuLines(state, 80, PLAIN).map(bare)).toEqual(['  /c4', '  /c5', '  /c6', '  /c7', '  /c8']);
  expect(menuLines(EMPTY, 80, PLAIN)).toEqual([]);
});

test('a styled line is cut by its columns, its styles kept whole', () => {
  expect(cut('\u001b[1m漢字漢\u001b[22m', 5)).toBe('\u001b[1m漢字\u001b[22m');
});
