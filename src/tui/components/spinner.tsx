import { Box, Text } from 'ink';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

export interface SpinnerProps {
  /** In milliseconds. All spinners on the screen show the same frame. */
  readonly now: number;
}

export function Spinner({ now }: SpinnerProps) {
  return (
    <Box width={2} flexShrink={0}>
      <Text>{FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]}</Text>
    </Box>
  );
}

/** `1.3s` */
export const secondsSince = (start: number, now: number): string => `${((now - start) / 1000).toFixed(1)}s`;
