import { Box } from 'ink';
import { useSyncExternalStore } from 'react';
import type { ScreenState } from '../state/screen-state.ts';
import type { Store } from '../state/store.ts';
import type { Theme } from '../style/theme.ts';
import { ThemeContext } from '../style/theme-context.ts';
import { Footer } from './footer.tsx';
import { Menu, menuHeight } from './menu.tsx';
import { Prompt } from './prompt.tsx';
import { hasFrame, PromptFrame } from './prompt-frame.tsx';
import { promptRows } from './prompt-rows.ts';
import { Question } from './question.tsx';
import { questionRows } from './question-rows.ts';
import { Queue, queueHeight } from './queue.tsx';
import { shareRows } from './share-rows.ts';
import { Turn, turnHeight } from './turn.tsx';
import { useNow } from './use-now.ts';

export interface AppProps {
  readonly store: Store<ScreenState>;
  readonly theme: Theme;
}

/** What stands below the conversation, always shorter than the window. */
export function App({ store, theme }: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.get);
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
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={window.columns}>
        <Turn turn={turn} now={now} columns={window.columns} height={rows.turn} />
        <Queue prompts={queue} height={rows.queue} />
        {question ? (
          <Question rows={question} top={rows.turn + rows.queue} />
        ) : (
          <PromptFrame columns={window.columns} framed={framed}>
            <Prompt {...prompt} top={rows.turn + rows.queue + (framed ? 1 : 0)} />
          </PromptFrame>
        )}
        {menu && <Menu {...menu} about={about} height={rows.menu} />}
        {rows.footer && <Footer {...footer} columns={window.columns} />}
      </Box>
    </ThemeContext>
  );
}
