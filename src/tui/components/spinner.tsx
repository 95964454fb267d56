import { Text } from 'ink';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

export interface SpinnerProps {
  /** Milliseconds: every spinner on the screen shows the same frame. */
  readonly now: number;
}

export function Spinner({ now }: SpinnerProps) {
  return <Text>{FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]} </Text>;
}
