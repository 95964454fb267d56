import { useState } from 'react';
import { modelOf, settingsOf } from '../../state/chat-state.ts';
import { applyTheme } from '../../state/theme.ts';
import { useChat, useChatState } from '../../state/use-chat.ts';
import { storedTheme, storeTheme, type ThemeChoice } from '../../storage/preferences.ts';
import { Dialog } from '../../widgets/dialog.tsx';
import { SamplingFields } from './sampling-fields.tsx';
import { ToolSettings } from './tool-settings.tsx';

/** System prompt, tools, sampling and theme, for this conversation and the next ones. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const chat = useChat();
  const settings = useChatState(settingsOf);
  const thinks = useChatState(state => modelOf(state)?.thinks === true);
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div className="fields">
        <label>
          System prompt
          <textarea
            rows={3}
            value={settings.system}
            placeholder="The server's own"
            onChange={event => chat.setSettings({ system: event.target.value })}
          />
        </label>
        {thinks && (
          <label>
            Thinking
            <select
              value={String(settings.thinking ?? '')}
              onChange={({ target: { value } }) =>
                chat.setSettings({ thinking: value === '' ? undefined : value === 'true' })
              }
            >
              <option value="">As the model does by itself</option>
              <option value="true">On</option>
              <option value="false">Off</option>
            </select>
          </label>
        )}
        <ToolSettings settings={settings} />
        <SamplingFields sampling={settings.sampling} />
        <ThemeField />
      </div>
    </Dialog>
  );
}

function ThemeField() {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (chosen: ThemeChoice) => {
    setTheme(chosen);
    storeTheme(chosen);
    applyTheme(chosen);
  };
  return (
    <label>
      Theme
      <select value={theme} onChange={event => choose(event.target.value as ThemeChoice)}>
        <option value="system">As in the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
