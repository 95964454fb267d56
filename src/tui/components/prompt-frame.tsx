import { Text } from 'ink';
import type { ReactNode } from 'react';
import type { WindowSize } from '../state/screen-state.ts';
import { useTheme } from '../style/theme-context.ts';

const MIN_ROWS = 8;
const MIN_COLUMNS = 20;

export interface PromptFrameProps {
  readonly columns: number;
  /** Draw the rules. */
  readonly framed: boolean;
  readonly children: ReactNode;
}

/** Whether the window has room for the two rules. */
export const hasFrame = ({ columns, rows }: WindowSize): boolean =>
  rows >= MIN_ROWS && columns >= MIN_COLUMNS;

/** A rule above and below the prompt. None beside it: what is typed can be copied as it stands. */
export function PromptFrame({ columns, framed, children }: PromptFrameProps) {
  const { dim } = useTheme();
  const rule = framed && <Text>{dim('─'.repeat(columns))}</Text>;
  return (
    <>
      {rule}
      {children}
      {rule}
    </>
  );
}
