import { Text } from 'ink';
import stringWidth from 'string-width';
import type { QuestionState } from '../input/dialogue.ts';
import { wrap } from '../markdown/wrap.ts';
import type { WindowSize } from '../state/screen-state.ts';
import { useTheme } from '../style/theme-context.ts';

export interface QuestionProps {
  readonly rows: readonly QuestionRow[];
}

/** A question in the place of the prompt. */
export function Question({ rows }: QuestionProps) {
  const { bold, dim } = useTheme();
  const paints = { title: bold, choice: dim, selected: bold, answer: dim };
  return rows.map(({ text, kind }, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
    <Text key={row} wrap="truncate">
      {paints[kind](text)}
    </Text>
  ));
}

/** A row of a question; `cursor` is the column of the cursor, if it is on this row. */
interface QuestionRow {
  readonly text: string;
  readonly kind: 'title' | 'choice' | 'selected' | 'answer';
  readonly cursor?: number;
}

/** The longest that fits. */
const HINTS = [
  '↑↓ and Enter, or a word · Esc: no · Ctrl+C ends the turn',
  '↑↓ and Enter, or a word · Esc: no',
  '↑↓ Enter',
];
const MARK = '> ';

/** The question, its choices and the answer being typed, in fewer rows than the window has. */
export function questionRows(state: QuestionState, { columns, rows }: WindowSize): readonly QuestionRow[] {
  const { title, choices, index, typed, note } = state;
  const height = Math.max(2, rows - 2);
  const most = Math.max(1, Math.min(4, height - choices.length - 1));
  const wrapped = wrap(title, columns);
  const shown = wrapped.slice(0, most);
  if (wrapped.length > most) shown[most - 1] = `${shown[most - 1]?.slice(0, columns - 2)}…`;
  const room = Math.max(0, height - shown.length - 1);
  const from = Math.max(0, Math.min(index - Math.floor(room / 2), choices.length - room));
  const width = Math.max(...choices.map(({ word }) => stringWidth(word)));
  const listed = choices.slice(from, from + room).map(({ word, label }, row) => {
    const selected = from + row === index;
    const kind = selected ? ('selected' as const) : ('choice' as const);
    return { text: `${selected ? '❯' : ' '} ${word.padEnd(width)}  ${label}`, kind };
  });
  const fits = (hint: string) => MARK.length + stringWidth(hint) <= columns;
  const beside = typed === '' ? note || (HINTS.find(fits) ?? '') : '';
  return [
    ...shown.map(text => ({ text, kind: 'title' as const })),
    ...listed,
    { text: `${MARK}${typed}${beside}`, kind: 'answer', cursor: MARK.length + stringWidth(typed) },
  ];
}

/** Where the answer is typed: an index into `rows`, and the column from the window's left edge. */
export function answerPlace(rows: readonly QuestionRow[]): { row: number; column: number } {
  const row = rows.findIndex(({ cursor }) => cursor !== undefined);
  return { row, column: rows[row]?.cursor ?? 0 };
}
