import { Box, Text } from 'ink';
import type { PromptRows } from './prompt-rows.ts';

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
