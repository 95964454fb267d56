import type { ChatSettings } from '../../conversation/types.ts';
import { plain } from '../../markdown/plain.ts';
import { useChat, useChatState } from '../../state/use-chat.ts';

/** Whether the server's tools may be called, and about which calls to ask. */
export function ToolSettings({ settings }: { readonly settings: ChatSettings }) {
  const chat = useChat();
  const tools = useChatState(state => state.tools);
  return (
    <fieldset>
      <legend>Tools</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.tools}
          onChange={event => chat.setSettings({ tools: event.target.checked })}
        />
        The model may call the server's tools
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.ask === 'all'}
          disabled={!settings.tools}
          onChange={event => chat.setSettings({ ask: event.target.checked ? 'all' : 'rules' })}
        />
        Ask me before every call
      </label>
      <p className="hint">
        Otherwise only where mcp.json says so, and before something is deleted or overwritten.
      </p>
      {tools.length > 0 && (
        <details>
          <summary>
            {tools.length} {tools.length === 1 ? 'tool' : 'tools'}
          </summary>
          <dl className="tools">
            {tools.map(({ name, server, description }) => (
              <div key={name}>
                <dt>
                  {plain(name)} <span className="hint">{plain(server)}</span>
                </dt>
                <dd>{plain(description)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </fieldset>
  );
}
