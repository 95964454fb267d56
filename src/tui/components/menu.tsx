import { Box, Text } from 'ink';
import stringWidth from 'string-width';
import { useTheme } from '../style/theme-context.ts';

const MAX_SHOWN = 5;

export interface MenuProps {
  readonly options: readonly string[];
  /** The selected option; -1: none. */
  readonly index: number;
  /** Descriptions of the options, by their text. */
  readonly about: ReadonlyMap<string, string>;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room: the last says how many options are not shown. */
export const menuHeight = ({ length }: readonly string[]): number =>
  length > MAX_SHOWN ? MAX_SHOWN + 1 : length;

/** Shows the options around the selected one. */
export function Menu({ options, index, about, height }: MenuProps) {
  const { bold, dim } = useTheme();
  const counts = options.length > height || options.length > MAX_SHOWN;
  const most = Math.min(MAX_SHOWN, counts && height > 1 ? height - 1 : height);
  const from = Math.max(0, Math.min(index - Math.floor(most / 2), options.length - most));
  const shown = options.slice(from, from + most);
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
      {counts && height > 1 && (
        <Text wrap="truncate">{dim(hiddenOf(from, options.length - from - shown.length))}</Text>
      )}
    </Box>
  );
}

/** `... 3 above, 12 below` */
function hiddenOf(above: number, below: number): string {
  return `... ${[above > 0 ? `${above} above` : '', below > 0 ? `${below} below` : ''].filter(Boolean).join(', ')}`;
}
