import { modelOf, settingsOf } from '../../state/chat-state.ts';
import { useChatState } from '../../state/use-chat.ts';
import { Icon } from '../../widgets/icon.tsx';

/** Before the first question: what answers here, and what it can use. */
export function Welcome() {
  const model = useChatState(state => modelOf(state)?.id);
  const tools = useChatState(state => state.tools);
  const offered = useChatState(state => settingsOf(state).tools);
  const servers = [...new Set(tools.map(({ server }) => server))];
  return (
    <div className="welcome">
      <h2>{model ?? 'llm-host'}</h2>
      <p>Conversations are kept in this browser.</p>
      {offered && servers.length > 0 && (
        <ul aria-label="Tools">
          {servers.map(server => {
            const count = tools.filter(tool => tool.server === server).length;
            return (
              <li key={server}>
                <Icon name="tool" /> {server} · {count} {count === 1 ? 'tool' : 'tools'}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
