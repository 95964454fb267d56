import { Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';
import type { QuestionRow } from './question-rows.ts';

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
