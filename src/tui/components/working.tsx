import { Box, Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';
import { secondsSince } from './seconds-since.ts';
import { Spinner } from './spinner.tsx';

const BAR = 20;

export interface WorkingProps {
  readonly phase: 'reading' | 'thinking';
  readonly since: number;
  readonly now: number;
  /** Prompt tokens read so far; undefined once all are. */
  readonly prefill: { readonly done: number; readonly total: number } | undefined;
  /** The last line of the model's thinking. */
  readonly thought: string;
}

/** Shown while the model reads the prompt or thinks. */
export function Working({ phase, since, now, prefill, thought }: WorkingProps) {
  const { dim } = useTheme();
  const details = prefill ? bar(prefill) : [secondsSince(since, now), thought].filter(Boolean).join(' · ');
  return (
    <Box>
      <Spinner now={now} />
      <Text wrap="truncate">
        {phase} {dim(details)}
      </Text>
    </Box>
  );
}

/** `[#####---------------] 100/400 tokens` */
function bar({ done, total }: { readonly done: number; readonly total: number }): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const filled = Math.round(share * BAR);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${done}/${total} tokens`;
}
