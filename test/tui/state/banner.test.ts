import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { bannerRows } from '../../../src/tui/state/banner.ts';
import { chooseTheme } from '../../../src/tui/style/theme.ts';

const THEME = chooseTheme('none', false, {});
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are taken out
const bare = (line: string) => line.replaceAll(/\u001b\[\d+m/g, '');
const BANNER = {
  title: 'llm-host 1.2.3',
  facts: [
    { name: 'model', text: 'tiny: llama, 135 M parameters' },
    { name: 'folder', text: '~/文書' },
  ],
};
const rows = (columns: number) => bannerRows(BANNER, columns, THEME).map(bare);

test('a box as wide as the text below it', () => {
  expect(rows(45)).toEqual([
    '╭─ llm-host 1.2.3 ──────────────────────────╮',
    '│ model   tiny: llama, 135 M parameters     │',
    '│ folder  ~/文書                            │',
    '╰───────────────────────────────────────────╯',
  ]);
});

test('a narrow box wraps its text; the narrowest windows have none', () => {
  expect(rows(34)).toEqual([
    '╭─ llm-host 1.2.3 ───────────────╮',
    '│ model   tiny: llama, 135 M     │',
    '│         parameters             │',
    '│ folder  ~/文書                 │',
    '╰────────────────────────────────╯',
  ]);
  expect(rows(29)).toEqual([
    ...['llm-host 1.2.3', 'model   tiny: llama, 135 M', '        parameters', 'folder  ~/文書'],
  ]);
});

test.each([1, 5, 12, 30, 31, 40, 79, 300])('no row is wider than %i columns', columns => {
  const widest = Math.max(...rows(columns).map(row => stringWidth(row)));
  expect(widest).toBeLessThanOrEqual(Math.max(columns, 'llm-host 1.2.3'.length));
});
