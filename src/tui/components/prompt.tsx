import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import stringWidth from 'string-width';
import { graphemes } from '../input/edit-text.ts';
import type { EditorState } from '../input/editor.ts';
import { withoutTabs } from '../markdown/wrap.ts';
import type { WindowSize } from '../state/screen-state.ts';
import { useTheme } from '../style/theme-context.ts';

/** The prompt being typed. */
export function Prompt({ label, rows }: PromptRows) {
  return rows.map(({ text, indent, isFirst }, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
    <Box key={row}>
      <Box width={indent} flexShrink={0}>
        {isFirst && <Text>{label}</Text>}
      </Box>
      <Text wrap="truncate">{text || ' '}</Text>
    </Box>
  ));
}

/** The prompt as `Prompt` shows it. */
interface PromptRows {
  readonly label: string;
  readonly rows: readonly PromptRow[];
  /** `row` is an index into `rows`; `column` counts from the window's left edge. */
  readonly cursor: { readonly row: number; readonly column: number };
}

interface PromptRow {
  readonly text: string;
  /** Columns left free on its left: as wide as the label, or none. */
  readonly indent: number;
  /** The prompt's first row, which carries the label. */
  readonly isFirst: boolean;
}

const LABEL = 'prompt -> ';
const SHORT_LABEL = '-> ';

/**
 * Wraps the prompt between words to the window, at most half as tall, and places the cursor. Ink could wrap it too, but does
 * not say where a character ended up, which is where the terminal's cursor belongs. `own` is the label instead of the
 * prompt's.
 */
export function promptRows(
  state: EditorState,
  { columns, rows: height }: WindowSize,
  own = LABEL,
): PromptRows {
  const label = labelOf(state, columns, own);
  const labelWidth = stringWidth(label);
  const indent = columns > 40 ? labelWidth : 0;
  // The last column is the cursor's.
  const rows = rowsOf(state.text, columns - 1 - labelWidth, columns - 1 - indent);
  const found = cursorIn(rows, state.cursor);
  const cursor = { row: found.row, column: found.column + (found.row === 0 ? labelWidth : indent) };
  const most = Math.max(1, Math.floor(height / 2));
  const from = Math.max(0, cursor.row - most + 1);
  const shown = rows.slice(from, from + most).map((cells, row) => ({
    text: cells.map(({ text }) => text).join(''),
    indent: from + row === 0 ? labelWidth : indent,
    isFirst: from + row === 0,
  }));
  return { label, rows: shown, cursor: { row: cursor.row - from, column: cursor.column } };
}

/** A character of the prompt as it is shown. */
interface Cell {
  readonly text: string;
  readonly width: number;
  /** Its index in the prompt. */
  readonly at: number;
  /** A row may end behind it. */
  readonly ends: boolean;
}

/**
 * The rows of a text, the first `first` columns wide, the others `width`. A space that finds no room stands at the end of its
 * row unseen, as in an editor; a word wider than a row is broken.
 */
function rowsOf(text: string, first: number, width: number): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let used = 0;
  const begin = (cells: Cell[]): void => {
    rows.push(row);
    row = cells;
    used = widthOf(cells);
  };
  for (const cell of cellsOf(text)) {
    const most = rows.length === 0 ? first : width;
    if (cell.text === '\n') {
      row.push({ ...cell, text: '', width: 0 });
      begin([]);
    } else if (used + cell.width <= most || row.length === 0) {
      row.push(cell);
      used += cell.width;
    } else if (cell.text.trim() === '') {
      row.push({ ...cell, text: '', width: 0 });
      begin([]);
    } else {
      const word = row.slice(row.findLastIndex(({ ends }) => ends) + 1);
      const kept = word.length === row.length || cell.width > 1 ? [] : word;
      row = row.slice(0, row.length - kept.length);
      begin([...kept, cell]);
    }
  }
  return [...rows, row];
}

function cellsOf(text: string): Cell[] {
  let at = 0;
  return graphemes(text).map(grapheme => {
    const shown = withoutTabs(grapheme);
    const width = stringWidth(shown);
    const cell = { text: shown, width, at, ends: shown.trim() === '' || width > 1 };
    at += grapheme.length;
    return cell;
  });
}

const widthOf = (cells: readonly Cell[]): number => cells.reduce((sum, { width }) => sum + width, 0);

/** Where the character at index `at` stands, or would. */
function cursorIn(rows: readonly (readonly Cell[])[], at: number): { row: number; column: number } {
  const last = rows.length - 1;
  for (const [row, cells] of rows.entries()) {
    const index = cells.findIndex(cell => cell.at >= at);
    if (index >= 0) return { row, column: widthOf(cells.slice(0, index)) };
  }
  return { row: last, column: widthOf(rows[last] ?? []) };
}

function labelOf({ search }: EditorState, columns: number, own: string): string {
  const label = search ? `search '${search.query}' -> ` : own;
  if (stringWidth(label) < columns - 4) return label;
  return columns > 8 ? SHORT_LABEL : '';
}

const MIN_ROWS = 8;
const MIN_COLUMNS = 20;

interface PromptFrameProps {
  readonly columns: number;
  /** Draw the rules. */
  readonly framed: boolean;
  readonly children: ReactNode;
}

/** Whether the window has room for the two rules. */
export const hasFrame = ({ columns, rows }: WindowSize): boolean =>
  rows >= MIN_ROWS && columns >= MIN_COLUMNS;

/** A rule above and below the prompt. None at its sides: what is typed can be copied as it stands. */
export function PromptFrame({ columns, framed, children }: PromptFrameProps) {
  const { dim } = useTheme();
  const rule = framed && <Text>{dim('─'.repeat(columns))}</Text>;
  return (
    <>
      {rule}
      {children}
      {rule}
    </>
  );
}
