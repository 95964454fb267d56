import { Box, Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';

const MAX_SHOWN = 5;

export interface MenuProps {
  readonly options: readonly string[];
  /** The chosen one. */
  readonly index: number;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows that it takes where there is room. */
export const menuHeight = (options: readonly string[]): number => Math.min(options.length, MAX_SHOWN);

/** The options around the chosen one. */
export function Menu({ options, index, height }: MenuProps) {
  const { bold, dim } = useTheme();
  const from = Math.max(0, Math.min(index - 2, options.length - MAX_SHOWN));
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {options.slice(from, from + Math.min(MAX_SHOWN, height)).map((option, row) => (
        <Text key={option} wrap="truncate">
          {from + row === index ? bold(option) : dim(option)}
        </Text>
      ))}
    </Box>
  );
}
