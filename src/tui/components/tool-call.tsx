import { Box, Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';
import { secondsSince } from './seconds-since.ts';
import { Spinner } from './spinner.tsx';

export interface ToolCallProps {
  readonly name: string;
  readonly startedAt: number;
  readonly now: number;
  /** The tool's progress message, or the model's last thought. */
  readonly note: string;
}

/** A running tool call. */
export function ToolCall({ name, startedAt, now, note }: ToolCallProps) {
  const { dim } = useTheme();
  const details = [secondsSince(startedAt, now), note, 'esc cancels'].filter(Boolean).join(' · ');
  return (
    <Box>
      <Spinner now={now} />
      <Text wrap="truncate">
        {name} {dim(details)}
      </Text>
    </Box>
  );
}
