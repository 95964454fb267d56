import { Box, Text } from 'ink';
import type { FooterInfo } from '../state/screen-state.ts';
import { useTheme } from '../style/theme-context.ts';

/** The share of the columns that the model's name may take, and its least width. */
const NAME_SHARE = 0.4;
const MIN_NAME = 12;

export interface FooterProps extends FooterInfo {
  /** The window's width: a long name leaves most of it to the rest. */
  readonly columns: number;
}

/** The state of the session on one row, most important first. Parts that do not fit wrap to a row that is clipped. */
export function Footer({ columns, ...footer }: FooterProps) {
  const { dim } = useTheme();
  return (
    <Box height={1} flexWrap="wrap" overflow="hidden">
      {partsOf(footer, columns).map((part, index) => (
        <Box key={part} flexShrink={0}>
          <Text>{dim(index === 0 ? part : ` · ${part}`)}</Text>
        </Box>
      ))}
    </Box>
  );
}

function partsOf(footer: FooterInfo, columns: number): readonly string[] {
  const { contextUsed, contextLength, rate } = footer;
  const share = contextLength > 0 ? Math.round((contextUsed / contextLength) * 100) : 0;
  return [
    shortened(footer.model, Math.max(MIN_NAME, Math.floor(columns * NAME_SHARE))),
    `ctx ${contextUsed}/${contextLength} (${share}%)`,
    ...(rate === undefined ? [] : [`${rate.toFixed(1)} tok/s`]),
    footer.device,
    `${footer.tools} ${footer.tools === 1 ? 'tool' : 'tools'}`,
    `${footer.serversUp}/${footer.servers} servers`,
  ];
}

const shortened = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 1)}…`;
