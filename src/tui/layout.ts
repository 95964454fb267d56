import stringWidth from 'string-width';
import { graphemes } from './edit-text.ts';
import type { EditorState } from './editor.ts';
import type { CursorPlace } from './painter.ts';
import type { Theme } from './theme.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const PROMPT = 'prompt -> ';
const MENU_LINES = 5;
const QUEUE_LINES = 3;

export interface Footer {
  readonly model: string;
  readonly device: string;
  readonly contextUsed: number;
  readonly contextLength: number;
  /** Tokens per second of the last reply; undefined before there is one. */
  readonly rate: number | undefined;
  readonly tools: number;
  readonly serversUp: number;
  readonly servers: number;
}

/** What is known of the session, most important first; what does not fit is left out from the end. */
export function footerLine(footer: Footer, width: number, theme: Theme): string {
  const share = footer.contextLength > 0 ? Math.round((footer.contextUsed / footer.contextLength) * 100) : 0;
  const parts = [
    footer.model,
    `ctx ${footer.contextUsed}/${footer.contextLength} (${share}%)`,
    ...(footer.rate === undefined ? [] : [`${footer.rate.toFixed(1)} tok/s`]),
    footer.device,
    `${footer.tools} tools`,
    `${footer.serversUp}/${footer.servers} servers`,
  ];
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`;
    if (stringWidth(longer) > width) break;
    line = longer;
  }
  return theme.dim(line);
}

/** The prompt wrapped to the window, and where the cursor stands in it. */
export function editorLines(
  state: EditorState,
  { columns, rows }: Size,
): { lines: string[]; cursor: CursorPlace } {
  const label = state.search ? `search '${state.search.query}' -> ` : PROMPT;
  const head = stringWidth(label) < columns - 4 ? label : columns > 8 ? '-> ' : '';
  const indent = columns > 40 ? ' '.repeat(stringWidth(head)) : '';
  const lines = [head];
  let column = stringWidth(head);
  let cursor: CursorPlace = { row: 0, column };
  const breakLine = () => {
    lines.push(indent);
    column = indent.length;
  };
  let at = 0;
  for (const grapheme of graphemes(state.text)) {
    const width = stringWidth(grapheme);
    if (grapheme !== '\n' && column + width > columns - 1 && column > indent.length) breakLine();
    if (at === state.cursor) cursor = { row: lines.length - 1, column };
    at += grapheme.length;
    if (grapheme === '\n') breakLine();
    else {
      lines[lines.length - 1] += grapheme === '\t' ? ' ' : grapheme;
      column += grapheme === '\t' ? 1 : width;
    }
  }
  if (state.cursor >= at) cursor = { row: lines.length - 1, column };
  return windowAround(lines, cursor, Math.max(1, Math.floor(rows / 2)));
}

/** At most `height` lines, the cursor's among them. */
function windowAround(lines: string[], cursor: CursorPlace, height: number) {
  const from = Math.max(0, Math.min(cursor.row - height + 1, lines.length - height), cursor.row - height + 1);
  return {
    lines: lines.slice(from, from + height),
    cursor: { row: cursor.row - from, column: cursor.column },
  };
}

export function menuLines(state: EditorState, width: number, theme: Theme): string[] {
  if (!state.menu) return [];
  const { options, index } = state.menu;
  const from = Math.max(0, Math.min(index - 2, options.length - MENU_LINES));
  return options
    .slice(from, from + MENU_LINES)
    .map((option, row) =>
      cut(row + from === index ? `  ${theme.bold(option)}` : theme.dim(`  ${option}`), width),
    );
}

/** Prompts that wait for the running turn. */
export function queueLines(queue: readonly string[], width: number, theme: Theme): string[] {
  const shown = queue
    .slice(0, QUEUE_LINES)
    .map(prompt => theme.dim(cutPlain(`queued: ${prompt.replaceAll(/\s+/g, ' ')}`, width)));
  const more = queue.length - QUEUE_LINES;
  return more > 0 ? [...shown, theme.dim(cutPlain(`and ${more} more`, width))] : shown;
}

/** A line that may hold styles, no wider than the window. */
export function cut(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let out = '';
  let used = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are kept whole
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith('\u001b')) {
      out += part;
      continue;
    }
    const kept = cutPlain(part, width - used);
    out += kept;
    used += stringWidth(kept);
  }
  return out;
}

function cutPlain(text: string, width: number): string {
  let out = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += stringWidth(grapheme);
    if (used > width) break;
    out += grapheme;
  }
  return out;
}
