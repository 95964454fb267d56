import { modelOf, settingsOf } from '../state/chat-state.ts';
import { useChat, useChatState } from '../state/use-chat.ts';
import { IconButton } from '../widgets/icon-button.tsx';
import { ContextMeter } from './context-meter.tsx';

interface TopBarProps {
  readonly onMenu: () => void;
  readonly onSettings: () => void;
  readonly onHelp: () => void;
}

/** Which model is asked, and the way to everything else. */
export function TopBar({ onMenu, onSettings, onHelp }: TopBarProps) {
  const chat = useChat();
  const models = useChatState(state => state.models);
  const model = useChatState(state => modelOf(state)?.id ?? settingsOf(state).model ?? '');
  return (
    <header className="top-bar">
      <IconButton
        id="menu"
        icon="menu"
        label="Conversations"
        className="quiet only-narrow"
        onClick={onMenu}
      />
      <h1 className="sr-only">llm-host chat</h1>
      <select
        aria-label="Model"
        value={model}
        onChange={event => chat.setSettings({ model: event.target.value })}
        disabled={models.length < 2}
      >
        {models.length === 0 && <option value={model}>{model || 'llm-host'}</option>}
        {models.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <ContextMeter />
      <span className="grow" />
      <IconButton icon="plus" label="New chat" className="quiet only-narrow" onClick={() => chat.newChat()} />
      <IconButton icon="help" label="Keys" onClick={onHelp} />
      <IconButton icon="settings" label="Settings" onClick={onSettings} />
    </header>
  );
}
