import { Box, Text, useCursor } from 'ink';
import type { PromptRows } from './prompt-rows.ts';

export interface PromptProps extends PromptRows {
  /** Rows of the live region above it. */
  readonly top: number;
}

/** The prompt being typed. Uses the terminal's own cursor: input methods compose text there. */
export function Prompt({ label, rows, cursor, top }: PromptProps) {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x: cursor.column, y: top + cursor.row });
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
