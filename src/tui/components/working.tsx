import { Box, Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';
import { Spinner, secondsSince } from './spinner.tsx';

const MAX_BAR = 20;
/** Columns of the line besides the bar and the counts. */
const REST = '⠋ reading [] / tokens'.length;

export interface WorkingProps {
  readonly phase: 'reading' | 'thinking';
  readonly since: number;
  readonly now: number;
  /** Prompt tokens read so far; undefined once all are. */
  readonly prefill: { readonly done: number; readonly total: number } | undefined;
  readonly columns: number;
  /** The last line of the model's thinking. */
  readonly thought: string;
}

/** Shown while the model reads the prompt or thinks. */
export function Working({ phase, since, now, prefill, columns, thought }: WorkingProps) {
  const { dim } = useTheme();
  const details = prefill
    ? bar(prefill, columns)
    : [secondsSince(since, now), thought].filter(Boolean).join(' · ');
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
function bar({ done, total }: NonNullable<WorkingProps['prefill']>, columns: number): string {
  const width = Math.max(0, Math.min(MAX_BAR, columns - REST - `${done}${total}`.length));
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const filled = Math.round(share * width);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${done}/${total} tokens`;
}
