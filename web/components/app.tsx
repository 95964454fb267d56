import { useState } from 'react';
import { useChatState } from '../state/use-chat.ts';
import { useShortcuts } from '../state/use-shortcuts.ts';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { Thread } from './messages/thread.tsx';
import { SettingsDialog } from './settings/settings-dialog.tsx';
import { Sidebar } from './sidebar/sidebar.tsx';
import { TopBar } from './top-bar.tsx';

type Opened = 'settings' | 'help' | 'sidebar' | undefined;

/** The whole page: the list of conversations, the open one, and the field for the next question. */
export function App() {
  const [opened, setOpened] = useState<Opened>();
  const needsKey = useChatState(({ connection }) => connection === 'key');
  const close = () => setOpened(undefined);
  useShortcuts({ onHelp: () => setOpened('help') });
  return (
    <div className="app">
      <a className="skip" href="#question">
        Skip to the question
      </a>
      <Sidebar open={opened === 'sidebar'} onClose={close} />
      <main inert={opened === 'sidebar'}>
        <TopBar
          onMenu={() => setOpened('sidebar')}
          onSettings={() => setOpened('settings')}
          onHelp={() => setOpened('help')}
        />
        <ConnectionNotice />
        <Thread />
        <Composer />
      </main>
      {opened === 'settings' && <SettingsDialog onClose={close} />}
      {opened === 'help' && <HelpDialog onClose={close} />}
      {needsKey && <KeyDialog />}
      <Announcer />
    </div>
  );
}
