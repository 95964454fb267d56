import { Box, Text } from 'ink';
import type { FooterInfo } from '../state/screen-state.ts';
import { useTheme } from '../style/theme-context.ts';

/** The state of the session on one row, most important first. Parts that do not fit wrap to a row that is clipped. */
export function Footer(props: FooterInfo) {
  const { dim } = useTheme();
  return (
    <Box height={1} flexWrap="wrap" overflow="hidden">
      {partsOf(props).map((part, index) => (
        <Box key={part} flexShrink={0}>
          <Text>{dim(index === 0 ? part : ` · ${part}`)}</Text>
        </Box>
      ))}
    </Box>
  );
}

function partsOf(footer: FooterInfo): readonly string[] {
  const { contextUsed, contextLength, rate } = footer;
  const share = contextLength > 0 ? Math.round((contextUsed / contextLength) * 100) : 0;
  return [
    footer.model,
    `ctx ${contextUsed}/${contextLength} (${share}%)`,
    ...(rate === undefined ? [] : [`${rate.toFixed(1)} tok/s`]),
    footer.device,
    `${footer.tools} tools`,
    `${footer.serversUp}/${footer.servers} servers`,
  ];
}
