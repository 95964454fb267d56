import { Box, Text } from 'ink';
import stringWidth from 'string-width';
import type { TurnStatus } from '../state/screen-state.ts';
import { useTheme } from '../style/theme-context.ts';

export interface TurnProps {
  readonly turn: TurnStatus;
  readonly now: number;
  readonly columns: number;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
export const turnHeight = ({ calls, working }: TurnStatus): number => calls.length || (working ? 1 : 0);

/** The work in progress: running calls, the phase of the reply, its last thought. */
export function Turn({ turn, now, columns, height }: TurnProps) {
  const { calls, working, thought } = turn;
  if (height === 0) return undefined;
  return (
    <>
      {calls.slice(-height).map(({ id, name, startedAt, message }) => (
        <ToolCall
          key={id}
          name={name}
          startedAt={startedAt}
          now={now}
          columns={columns}
          note={message || thought}
        />
      ))}
      {calls.length === 0 && working && (
        <Working {...working} thought={thought} now={now} columns={columns} />
      )}
    </>
  );
}

interface ToolCallProps {
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
  // Where both do not fit, the note is shown without the hint rather than with a cut one.
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

const MAX_BAR = 20;
/** Columns of the line besides the bar and the counts. */
const REST = '⠋ reading [] / tokens'.length;

interface WorkingProps {
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

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

interface SpinnerProps {
  /** In milliseconds. All spinners on the screen show the same frame. */
  readonly now: number;
}

function Spinner({ now }: SpinnerProps) {
  return (
    <Box width={2} flexShrink={0}>
      <Text>{FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]}</Text>
    </Box>
  );
}

/** `1.3s` */
const secondsSince = (start: number, now: number): string => `${((now - start) / 1000).toFixed(1)}s`;
