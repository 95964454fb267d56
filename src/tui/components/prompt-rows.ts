import stringWidth from 'string-width';
import { graphemes } from '../input/edit-text.ts';
import type { EditorState } from '../input/editor.ts';
import type { WindowSize } from '../state/screen-state.ts';

/** The prompt as `Prompt` shows it. */
export interface PromptRows {
  readonly label: string;
  readonly rows: readonly PromptRow[];
  /** `row` is an index into `rows`; `column` counts from the window's left edge. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface PromptRow {
  readonly text: string;
  /** Columns left free on its left: as wide as the label, or none. */
  readonly indent: number;
  /** The prompt's first row, which carries the label. */
  readonly isFirst: boolean;
}

const LABEL = 'prompt -> ';
const SHORT_LABEL = '-> ';

/**
 * Wraps the prompt to the window, at most half as tall, and places the cursor. Ink could wrap it too, but does not say
 * where a character ended up, which is where the terminal's cursor belongs. `own` is the label instead of the prompt's.
 */
export function promptRows(
  state: EditorState,
  { columns, rows: height }: WindowSize,
  own = LABEL,
): PromptRows {
  const label = labelOf(state, columns, own);
  const labelWidth = stringWidth(label);
  const indent = columns > 40 ? labelWidth : 0;
  const rows: { text: string; indent: number; isFirst: boolean }[] = [];
  let row = { text: '', indent: labelWidth, isFirst: true };
  let column = labelWidth;
  const breakRow = () => {
    rows.push(row);
    row = { text: '', indent, isFirst: false };
    column = indent;
  };
  let cursor = { row: 0, column };
  let at = 0;
  for (const grapheme of graphemes(state.text)) {
    const shown = grapheme === '\t' ? ' ' : grapheme;
    const width = stringWidth(shown);
    if (grapheme !== '\n' && column + width > columns - 1 && column > indent) breakRow();
    if (at === state.cursor) cursor = { row: rows.length, column };
    at += grapheme.length;
    if (grapheme === '\n') {
      breakRow();
    } else {
      row.text += shown;
      column += width;
    }
  }
  if (state.cursor >= at) cursor = { row: rows.length, column };
  rows.push(row);
  const most = Math.max(1, Math.floor(height / 2));
  const from = Math.max(0, cursor.row - most + 1);
  return {
    label,
    rows: rows.slice(from, from + most),
    cursor: { row: cursor.row - from, column: cursor.column },
  };
}

function labelOf({ search }: EditorState, columns: number, own: string): string {
  const label = search ? `search '${search.query}' -> ` : own;
  if (stringWidth(label) < columns - 4) return label;
  return columns > 8 ? SHORT_LABEL : '';
}
