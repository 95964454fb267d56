import { Box } from 'ink';
import { useEffect, useInsertionEffect, useState } from 'react';
import type { ScreenState } from '../state/screen-state.ts';
import type { Theme } from '../style/theme.ts';
import { ThemeContext } from '../style/theme-context.ts';
import type { CursorPlace } from '../terminal/painter.ts';
import { Footer } from './footer.tsx';
import { Menu, menuHeight } from './menu.tsx';
import { Prompt } from './prompt.tsx';
import { hasFrame, PromptFrame } from './prompt-frame.tsx';
import { promptRows } from './prompt-rows.ts';
import { Question } from './question.tsx';
import { answerPlace, questionRows } from './question-rows.ts';
import { Queue, queueHeight } from './queue.tsx';
import { Turn, turnHeight } from './turn.tsx';

export interface AppProps {
  readonly state: ScreenState;
  readonly theme: Theme;
  /** Called before each frame with where the terminal's cursor belongs: input methods compose text there. */
  readonly onCursor: (place: CursorPlace) => void;
}

const TICK_MS = 125;

/** The live region below the conversation, always shorter than the window. */
export function App({ state, theme, onCursor }: AppProps) {
  const { window, turn, queue, dialogue, about, footer } = state;
  const form = dialogue?.type === 'form' ? dialogue : undefined;
  const room = { ...window, rows: window.rows - state.growing };
  const question = dialogue?.type === 'question' ? questionRows(dialogue.question, room) : undefined;
  const editor = form?.editor ?? state.editor;
  const menu = question ? undefined : editor.menu;
  const now = useNow(turn.calls.length > 0 || turn.working !== undefined);
  const prompt = promptRows(editor, window, form?.label);
  const framed = hasFrame(window) && !question;
  const rows = shareRows(window.rows, {
    prompt: question?.length ?? prompt.rows.length + (framed ? 2 : 0),
    menu: menuHeight(menu?.options ?? []),
    queue: queueHeight(queue),
    turn: turnHeight(turn),
  });
  const top = rows.turn + rows.queue + (framed ? 1 : 0);
  const cursor = question ? answerPlace(question) : prompt.cursor;
  useInsertionEffect(() => onCursor({ row: top + cursor.row, column: cursor.column }));
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={window.columns}>
        <Turn turn={turn} now={now} columns={window.columns} height={rows.turn} />
        <Queue prompts={queue} height={rows.queue} />
        {question ? (
          <Question rows={question} />
        ) : (
          <PromptFrame columns={window.columns} framed={framed}>
            <Prompt {...prompt} />
          </PromptFrame>
        )}
        {menu && <Menu {...menu} about={about} height={rows.menu} />}
        {rows.footer && <Footer {...footer} columns={window.columns} />}
      </Box>
    </ThemeContext>
  );
}

export interface WantedRows {
  readonly prompt: number;
  readonly menu: number;
  readonly queue: number;
  readonly turn: number;
}

export interface SharedRows {
  readonly footer: boolean;
  readonly menu: number;
  readonly queue: number;
  readonly turn: number;
}

/**
 * Divides the window's rows so that the live region stays shorter than the window: rows that scroll out cannot be
 * erased. The prompt comes first, then the footer, a row for the turn, the menu, the queue, and the rest of the turn.
 */
export function shareRows(rows: number, wanted: WantedRows): SharedRows {
  const room = Math.max(1, rows - 1) - wanted.prompt;
  const footer = room > 1;
  const menu = Math.min(wanted.menu, Math.max(0, room - 2));
  const queue = Math.min(wanted.queue, Math.max(0, room - menu - 3));
  const turn = Math.min(wanted.turn, Math.max(0, room - menu - queue - (footer ? 1 : 0)));
  return { footer, menu, queue, turn };
}

/** The time in milliseconds; while `ticking`, the component is rendered again eight times a second. */
function useNow(ticking: boolean): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setTick(tick => tick + 1), TICK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }, [ticking]);
  return Date.now();
}
