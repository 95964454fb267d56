import { Text } from 'ink';
import { useTheme } from '../style/theme-context.ts';

const MAX_SHOWN = 3;

export interface QueueProps {
  /** Prompts waiting for the running turn to end. */
  readonly prompts: readonly string[];
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
export const queueHeight = (prompts: readonly string[]): number => Math.min(prompts.length, MAX_SHOWN + 1);

export function Queue({ prompts, height }: QueueProps) {
  const { dim } = useTheme();
  const shown = prompts.slice(0, MAX_SHOWN).map(prompt => `queued: ${prompt.replaceAll(/\s+/g, ' ')}`);
  const more = prompts.length - shown.length;
  const lines = more > 0 ? [...shown, `and ${more} more`] : shown;
  return lines.slice(0, height).map((line, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: prompts may repeat; rows have no other identity
    <Text key={row} wrap="truncate">
      {dim(line)}
    </Text>
  ));
}
