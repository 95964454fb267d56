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
  const { window, turn, queue, editor, about, footer } = state;
  const now = useNow(turn.calls.length > 0 || turn.working !== undefined);
  const prompt = promptRows(editor, window);
  const framed = hasFrame(window);
  const rows = shareRows(window.rows, {
    prompt: prompt.rows.length + (framed ? 2 : 0),
    menu: menuHeight(editor.menu?.options ?? []),
    queue: queueHeight(queue),
    turn: turnHeight(turn),
  });
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column">
        <Turn turn={turn} now={now} columns={window.columns} height={rows.turn} />
        <Queue prompts={queue} height={rows.queue} />
        <PromptFrame columns={window.columns} framed={framed}>
          <Prompt {...prompt} top={rows.turn + rows.queue + (framed ? 1 : 0)} />
        </PromptFrame>
        {editor.menu && <Menu {...editor.menu} about={about} height={rows.menu} />}
        {rows.footer && <Footer {...footer} />}
      </Box>
    </ThemeContext>
  );
}
