import { Box, Text } from 'ink';
import stringWidth from 'string-width';
import { useTheme } from '../style/theme-context.ts';
import { Spinner, secondsSince } from './spinner.tsx';

export interface ToolCallProps {
  readonly name: string;
  readonly startedAt: number;
  readonly now: number;
  /** The tool's progress message, or the model's last thought. */
  readonly note: string;
  readonly columns: number;
}

const HINT = 'esc cancels';

/** A running tool call. */
export function ToolCall({ name, startedAt, now, note, columns }: ToolCallProps) {
  const { dim } = useTheme();
  const known = [secondsSince(startedAt, now), note].filter(Boolean).join(' · ');
  const hinted = `${known} · ${HINT}`;
  // A note that is cut is told without the hint, not a hint that is cut.
  const details = stringWidth(`⠋ ${name} ${hinted}`) <= columns ? hinted : known;
  return (
    <Box>
      <Spinner now={now} />
      <Text wrap="truncate">
        {name} {dim(details)}
      </Text>
    </Box>
  );
}
