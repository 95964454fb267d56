import { Box } from 'ink';
import { useSyncExternalStore } from 'react';
import type { ScreenState } from '../state/screen-state.ts';
import type { Store } from '../state/store.ts';
import type { Theme } from '../style/theme.ts';
import { ThemeContext } from '../style/theme-context.ts';
import { Footer } from './footer.tsx';
import { Menu, menuHeight } from './menu.tsx';
import { Prompt } from './prompt.tsx';
import { promptRows } from './prompt-rows.ts';
import { Queue, queueHeight } from './queue.tsx';
import { Scrollback } from './scrollback.tsx';
import { shareRows } from './share-rows.ts';
import { Turn, turnHeight } from './turn.tsx';
import { useNow } from './use-now.ts';

export interface AppProps {
  readonly store: Store<ScreenState>;
  readonly theme: Theme;
  /** Called with the number of finished texts drawn so far. */
  readonly onDrawn: (count: number) => void;
}

/** Finished text, and below it the live region, which is always shorter than the window. */
export function App({ store, theme, onDrawn }: AppProps) {
  const { window, finished, turn, queue, editor, footer } = useSyncExternalStore(store.subscribe, store.get);
  const now = useNow(turn.calls.length > 0 || turn.working !== undefined);
  const prompt = promptRows(editor, window);
  const rows = shareRows(window.rows, {
    prompt: prompt.rows.length,
    menu: menuHeight(editor.menu?.options ?? []),
    queue: queueHeight(queue),
    turn: turnHeight(turn),
  });
  return (
    <ThemeContext value={theme}>
      <Scrollback items={finished} onDrawn={onDrawn} />
      <Box flexDirection="column">
        <Turn turn={turn} now={now} height={rows.turn} />
        <Queue prompts={queue} height={rows.queue} />
        <Prompt {...prompt} top={rows.turn + rows.queue} />
        {editor.menu && <Menu {...editor.menu} height={rows.menu} />}
        {rows.footer && <Footer {...footer} />}
      </Box>
    </ThemeContext>
  );
}
