import { renderToString, Text } from 'ink';
import type { ReactNode } from 'react';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { Footer, Queue, shareRows } from '../../../src/tui/components/app.tsx';
import { Menu, menuHeight } from '../../../src/tui/components/menu.tsx';
import { hasFrame, Prompt, PromptFrame, promptRows } from '../../../src/tui/components/prompt.tsx';
import { ToolCall, Working } from '../../../src/tui/components/turn.tsx';
import { nextIndex } from '../../../src/tui/input/edit-text.ts';
import { type EditorState, EMPTY, withText } from '../../../src/tui/input/editor.ts';
import type { FooterInfo, WindowSize } from '../../../src/tui/state/screen-state.ts';
import { chooseTheme } from '../../../src/tui/style/theme.ts';
import { ThemeContext } from '../../../src/tui/style/theme-context.ts';

const THEME = chooseTheme('dark', true, {});
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are taken out
const bare = (line: string) => line.replaceAll(/\u001b\[\d+m/g, '');

/** What a component shows in a window of so many columns, a row each. */
function rowsOf(component: ReactNode, columns: number): string[] {
  return renderToString(<ThemeContext value={THEME}>{component}</ThemeContext>, { columns })
    .split('\n')
    .map(bare);
}

const FOOTER: FooterInfo = {
  model: 'granite',
  device: 'cpu',
  contextUsed: 512,
  contextLength: 4096,
  rate: 61.26,
  tools: 10,
  serversUp: 1,
  servers: 2,
};

test.each([
  [80, 'granite · ctx 512/4096 (13%) · 61.3 tok/s · cpu · 10 tools · 1/2 servers'],
  [60, 'granite · ctx 512/4096 (13%) · 61.3 tok/s · cpu · 10 tools'],
  [30, 'granite · ctx 512/4096 (13%)'],
  [10, 'granite'],
  [3, 'gra'],
])('the footer of a window of %i columns', (width, shown) => {
  expect(rowsOf(<Footer {...FOOTER} columns={width} />, width)).toEqual([shown]);
});

test('a long name leaves room for the use of the context', () => {
  const long = { ...FOOTER, model: 'SmolLM2-135M-Instruct.Q4_1' };
  expect(rowsOf(<Footer {...long} columns={40} />, 40)).toEqual(['SmolLM2-135M-In… · ctx 512/4096 (13%)']);
  expect(rowsOf(<Footer {...long} columns={80} />, 80)[0]).toContain('SmolLM2-135M-Instruct.Q4_1 · ctx');
});

test.each([
  [80, 'steps 4.2s · 2 of 3: step 2 · esc cancels'],
  [43, 'steps 4.2s · 2 of 3: step 2 · esc cancels'],
  [42, 'steps 4.2s · 2 of 3: step 2'],
  [20, 'steps 4.2s · 2 of…'],
])('a running call in a window of %i columns: no half of a hint', (columns, shown) => {
  const call = { name: 'steps', startedAt: 0, now: 4200, note: '2 of 3: step 2' };
  expect(rowsOf(<ToolCall {...call} columns={columns} />, columns)[0]?.slice(2)).toBe(shown);
});

test('the footer before the first reply has no rate', () => {
  expect(rowsOf(<Footer {...FOOTER} columns={80} rate={undefined} contextUsed={0} />, 80)).toEqual([
    'granite · ctx 0/4096 (0%) · cpu · 10 tools · 1/2 servers',
  ]);
});

test('the styles are those of the theme, whatever the environment says of colours', () => {
  const shown = renderToString(
    <ThemeContext value={THEME}>
      <Footer {...FOOTER} columns={80} />
    </ThemeContext>,
  );
  expect(shown).toContain('\u001b[2mgranite');
});

describe('the cursor, which an input method writes at,', () => {
  const show = (state: EditorState, window: WindowSize) => {
    const prompt = promptRows(state, window);
    return { lines: rowsOf(<Prompt {...prompt} />, window.columns), cursor: prompt.cursor };
  };
  const at = (text: string, cursor: number, columns = 40) => {
    const { lines, cursor: place } = show({ ...EMPTY, text, cursor }, { columns, rows: 24 });
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

  test('goes with the word that finds no room on its row', () => {
    // Twenty columns are left beside the label.
    expect(at('a sentence that wraps', 21, 31)).toEqual([
      ['prompt -> a sentence that', 'wraps'],
      { row: 1, column: 5 },
    ]);
    expect(at('a sentence that wraps', 15, 31)).toEqual([
      ['prompt -> a sentence that', 'wraps'],
      { row: 0, column: 25 },
    ]);
    expect(at('a sentence that wraps', 16, 31)[1]).toEqual({ row: 1, column: 0 });
  });

  test('goes on below when a space finds no room, which ends its row unseen', () => {
    expect(at('twenty columns full.', 20, 31)).toEqual([
      ['prompt -> twenty columns full.'],
      { row: 0, column: 30 },
    ]);
    expect(at('twenty columns full. ', 21, 31)).toEqual([
      ['prompt -> twenty columns full.', ''],
      { row: 1, column: 0 },
    ]);
    expect(at('twenty columns full. More', 25, 31)).toEqual([
      ['prompt -> twenty columns full.', 'More'],
      { row: 1, column: 4 },
    ]);
  });

  test('breaks a word that is wider than a row, and no other', () => {
    expect(at(`see ${'x'.repeat(70)} end`, 78, 41)).toEqual([
      [
        'prompt -> see',
        `          ${'x'.repeat(30)}`,
        `          ${'x'.repeat(30)}`,
        `          ${'x'.repeat(10)} end`,
      ],
      { row: 3, column: 24 },
    ]);
  });

  test('counts a tab as four columns, and breaks wide characters anywhere', () => {
    expect(at('a\tb', 3)).toEqual([['prompt -> a    b'], { row: 0, column: 16 }]);
    expect(at('see 漢字漢字漢字漢字漢字', 14, 31)).toEqual([
      ['prompt -> see 漢字漢字漢字漢字', '漢字'],
      { row: 1, column: 4 },
    ]);
    expect(at('go 漢字abcdefghijklmn', 19, 31)[0]).toEqual(['prompt -> go 漢字', 'abcdefghijklmn']);
  });

  test.each([1, 2, 5, 9, 20, 40, 41, 80])(
    'has a place of its own at each character, %i columns wide',
    columns => {
      const text = 'Ein Satz, 漢字 und 👩‍👩‍👧;\n\n  \tauch_ein_sehr_langes_Wort_ohne_Ende   ';
      const rows = 400;
      let before = -1;
      for (let index = 0; index <= text.length; ) {
        const prompt = promptRows({ ...EMPTY, text, cursor: index }, { columns, rows });
        const place = prompt.cursor.row * 1000 + prompt.cursor.column;
        expect(place).toBeGreaterThan(before);
        before = place;
        index = index < text.length ? nextIndex(text, index) : text.length + 1;
        for (const { text: row, indent } of prompt.rows) {
          if (columns > 20) expect(indent + stringWidth(row)).toBeLessThan(columns);
        }
      }
    },
  );

  test('is among the lines that are shown of a long prompt', () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
    const { lines, cursor } = show(withText(EMPTY, text), { columns: 80, rows: 10 });
    expect([lines.length, lines.at(-1), cursor.row]).toEqual([5, '          line 49', 4]);
    const first = show({ ...EMPTY, text, cursor: 0 }, { columns: 80, rows: 10 });
    expect([first.lines[0], first.cursor.row]).toEqual(['prompt -> line 0', 0]);
  });

  test('has a place in the smallest window', () => {
    const { lines, cursor } = show(withText(EMPTY, '漢a'), { columns: 1, rows: 1 });
    expect(lines).toHaveLength(1);
    expect(cursor.row).toBe(0);
  });
});

test('prompts that wait are shown on a line each, and counted beyond three', () => {
  const queue = <Queue prompts={['one\ntwo', 'b', 'c', 'd', 'e']} height={4} />;
  expect(rowsOf(queue, 14)).toEqual(['queued: one t…', 'queued: b', 'queued: c', 'and 2 more']);
});

test('the menu shows five around the chosen one', () => {
  const options = Array.from({ length: 9 }, (_, index) => `/c${index}`);
  const shown = rowsOf(
    <Menu options={options} index={7} about={new Map()} height={menuHeight(options)} />,
    80,
  );
  expect(shown).toEqual(['  /c4', '  /c5', '  /c6', '  /c7', '  /c8', '  ... 4 above']);
});

test.each([
  [0, 6, ['  /c0', '  /c1', '  /c2', '  /c3', '  /c4', '  ... 4 below']],
  [4, 6, ['  /c2', '  /c3', '  /c4', '  /c5', '  /c6', '  ... 2 above, 2 below']],
  [4, 3, ['  /c3', '  /c4', '  ... 3 above, 4 below']],
  [4, 1, ['  /c4']],
])('option %i in a menu of %i rows: the last row counts the others', (index, height, rows) => {
  const options = Array.from({ length: 9 }, (_, at) => `/c${at}`);
  expect(rowsOf(<Menu options={options} index={index} about={new Map()} height={height} />, 80)).toEqual(
    rows,
  );
});

test('the menu says what the options are, as far as there is room', () => {
  const about = new Map([['/help', 'lists the commands']]);
  const menu = <Menu options={['/help', '/mcp']} index={-1} about={about} height={2} />;
  expect(rowsOf(menu, 40)).toEqual(['  /help  lists the commands', '  /mcp']);
  expect(rowsOf(menu, 20)).toEqual(['  /help  lists the …', '  /mcp']);
});

test('the prompt stands between two rules where there is room for them', () => {
  expect([hasFrame({ columns: 40, rows: 15 }), hasFrame({ columns: 40, rows: 7 })]).toEqual([true, false]);
  const frame = (
    <PromptFrame columns={5} framed>
      <Text>text</Text>
    </PromptFrame>
  );
  expect(rowsOf(frame, 5)).toEqual(['─────', 'text', '─────']);
});

test.each([
  [80, 'reading [#####---------------] 2048/8192 tokens'],
  [40, 'reading [###--------] 2048/8192 tokens'],
  [20, 'reading [] 2048/8…'],
])('the progress of a window of %i columns', (columns, shown) => {
  const prefill = { done: 2048, total: 8192 };
  const working = (
    <Working phase="reading" since={0} now={0} columns={columns} prefill={prefill} thought="" />
  );
  expect(rowsOf(working, columns)).toEqual([`⠋ ${shown}`]);
});

describe('the rows of the window', () => {
  const wanted = { prompt: 2, menu: 5, queue: 4, turn: 13 };

  test.each([
    [40, { footer: true, menu: 5, queue: 4, turn: 13 }],
    [15, { footer: true, menu: 5, queue: 4, turn: 2 }],
    [10, { footer: true, menu: 5, queue: 0, turn: 1 }],
    [6, { footer: true, menu: 1, queue: 0, turn: 1 }],
    [3, { footer: false, menu: 0, queue: 0, turn: 0 }],
  ])('%i rows', (rows, shared) => {
    expect(shareRows(rows, wanted)).toEqual(shared);
  });

  test('the live region is always shorter than the window', () => {
    for (let rows = 4; rows < 60; rows++) {
      const { footer, menu, queue, turn } = shareRows(rows, wanted);
      expect(wanted.prompt + menu + queue + turn + (footer ? 1 : 0)).toBeLessThan(rows);
    }
  });
});
