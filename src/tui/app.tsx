import { Box, Static, Text } from 'ink';
import { useLayoutEffect, useSyncExternalStore } from 'react';

/** Lines that went to the scrollback in one go; the text is dropped once it has been drawn. */
export interface FinishedItem {
  readonly id: number;
  text: string;
  /** Columns of its widest line: the terminal wraps it, so that it stays one line to search and copy. */
  readonly width: number;
}

/** The live region, line by line; all together shorter than the window. */
export interface LiveView {
  /** For whoever takes Ink's frames, never shown: Ink writes no frame whose text is that of the last one. */
  readonly mark: string;
  readonly finished: readonly FinishedItem[];
  readonly reply: readonly string[];
  readonly queue: readonly string[];
  readonly editor: readonly string[];
  readonly menu: readonly string[];
  readonly footer: string;
}

export interface ViewSource {
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something has changed. */
  readonly view: () => LiveView;
}

export function App({ source }: { readonly source: ViewSource }) {
  const view = useSyncExternalStore(source.subscribe, source.view);
  return (
    <>
      <Static items={view.finished as FinishedItem[]}>
        {item => <Finished key={item.id} item={item} />}
      </Static>
      <Box flexDirection="column">
        <Box width={view.mark.length} flexShrink={0}>
          <Text>{view.mark}</Text>
        </Box>
        <Lines lines={view.reply} />
        <Lines lines={view.queue} />
        <Lines lines={view.editor} />
        <Lines lines={view.menu} />
        {view.footer === '' ? undefined : <Text>{view.footer}</Text>}
      </Box>
    </>
  );
}

function Finished({ item }: { readonly item: FinishedItem }) {
  // Ink has drawn it by now; from here on only the number of items counts.
  useLayoutEffect(() => {
    item.text = '';
  }, [item]);
  return (
    <Box width={item.width} flexShrink={0}>
      <Text>{item.text}</Text>
    </Box>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.length === 0 ? undefined : <Text>{lines.map(line => line || ' ').join('\n')}</Text>;
}
