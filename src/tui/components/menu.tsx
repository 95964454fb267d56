import { Box, Text } from 'ink';
import stringWidth from 'string-width';
import { useTheme } from '../style/theme-context.ts';

const MAX_SHOWN = 5;

export interface MenuProps {
  readonly options: readonly string[];
  /** The selected option; -1: none. */
  readonly index: number;
  /** What an option is, by its text. */
  readonly about: ReadonlyMap<string, string>;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
export const menuHeight = (options: readonly string[]): number => Math.min(options.length, MAX_SHOWN);

/** Shows the options around the selected one. */
export function Menu({ options, index, about, height }: MenuProps) {
  const { bold, dim } = useTheme();
  const from = Math.max(0, Math.min(index - 2, options.length - MAX_SHOWN));
  const shown = options.slice(from, from + Math.min(MAX_SHOWN, height));
  const width = Math.max(0, ...shown.map(option => stringWidth(option))) + 2;
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {shown.map((option, row) => (
        <Box key={option}>
          <Box width={width} flexShrink={0}>
            <Text wrap="truncate">{from + row === index ? bold(option) : dim(option)}</Text>
          </Box>
          <Text wrap="truncate">{dim(about.get(option) ?? '')}</Text>
        </Box>
      ))}
    </Box>
  );
}
