import { Box, Text } from 'ink';
import { useEffect, useInsertionEffect, useState } from 'react';
import type { FooterInfo, ScreenState } from '../state/screen-state.ts';
import type { Theme } from '../style/theme.ts';
import { ThemeContext, useTheme } from '../style/theme-context.ts';
import type { CursorPlace } from '../terminal/painter.ts';
import { Menu, menuHeight } from './menu.tsx';
import { hasFrame, Prompt, PromptFrame, promptRows } from './prompt.tsx';
import { answerPlace, Question, questionRows } from './question.tsx';
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

const MAX_QUEUED = 3;

interface QueueProps {
  /** Prompts waiting for the running turn to end. */
  readonly prompts: readonly string[];
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
const queueHeight = (prompts: readonly string[]): number => Math.min(prompts.length, MAX_QUEUED + 1);

export function Queue({ prompts, height }: QueueProps) {
  const { dim } = useTheme();
  const shown = prompts.slice(0, MAX_QUEUED).map(prompt => `queued: ${prompt.replaceAll(/\s+/g, ' ')}`);
  const more = prompts.length - shown.length;
  const lines = more > 0 ? [...shown, `and ${more} more`] : shown;
  return lines.slice(0, height).map((line, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: prompts may repeat; rows have no other identity
    <Text key={row} wrap="truncate">
      {dim(line)}
    </Text>
  ));
}

/** The share of the columns that the model's name may take, and its least width. */
const NAME_SHARE = 0.4;
const MIN_NAME = 12;

interface FooterProps extends FooterInfo {
  /** The window's width: a long name leaves most of it to the rest. */
  readonly columns: number;
}

/** The state of the session on one row, most important first. Parts that do not fit wrap to a row that is clipped. */
export function Footer({ columns, ...footer }: FooterProps) {
  const { dim } = useTheme();
  return (
    <Box height={1} flexWrap="wrap" overflow="hidden">
      {partsOf(footer, columns).map((part, index) => (
        <Box key={part} flexShrink={0}>
          <Text>{dim(index === 0 ? part : ` · ${part}`)}</Text>
        </Box>
      ))}
    </Box>
  );
}

function partsOf(footer: FooterInfo, columns: number): readonly string[] {
  const { contextUsed, contextLength, rate } = footer;
  const share = contextLength > 0 ? Math.round((contextUsed / contextLength) * 100) : 0;
  return [
    shortened(footer.model, Math.max(MIN_NAME, Math.floor(columns * NAME_SHARE))),
    `ctx ${contextUsed}/${contextLength} (${share}%)`,
    ...(rate === undefined ? [] : [`${rate.toFixed(1)} tok/s`]),
    footer.device,
    `${footer.tools} ${footer.tools === 1 ? 'tool' : 'tools'}`,
    `${footer.serversUp}/${footer.servers} servers`,
  ];
}

const shortened = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 1)}…`;
