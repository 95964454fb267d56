import { Box, Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';

const MAX_SHOWN = 5;

export interface MenuProps {
  readonly options: readonly string[];
  /** The selected option. */
  readonly index: number;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
export const menuHeight = (options: readonly string[]): number => Math.min(options.length, MAX_SHOWN);

/** Shows the options around the selected one. */
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
