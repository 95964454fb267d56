import { Box, Static, Text } from 'ink';
import { useLayoutEffect } from 'react';
import type { FinishedText } from '../state/screen-state.ts';

export interface ScrollbackProps {
  readonly items: readonly FinishedText[];
  /** Called with the number of items drawn so far. */
  readonly onDrawn: (count: number) => void;
}

/** Finished text: drawn once, above the live region, and left to the terminal's own scrollback. */
export function Scrollback({ items, onDrawn }: ScrollbackProps) {
  const { length } = items;
  useLayoutEffect(() => onDrawn(length), [length, onDrawn]);
  return (
    <Static items={items as FinishedText[]}>
      {({ id, text, width }) => (
        // Wide enough for its widest line: left to the terminal to wrap, it stays one line to search and copy.
        <Box key={id} width={width} flexShrink={0}>
          <Text>{text}</Text>
        </Box>
      )}
    </Static>
  );
}
