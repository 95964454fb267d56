import { useChat, useChatState } from '../state/use-chat.ts';
import { Icon } from '../widgets/icon.tsx';
import { IconButton } from '../widgets/icon-button.tsx';

/** Says when the server is gone, and what else the user should know. */
export function ConnectionNotice() {
  const chat = useChat();
  const isLost = useChatState(({ connection }) => connection === 'lost');
  const problem = useChatState(state => state.problem);
  const notice = useChatState(state => state.notice);
  return (
    <div role="alert" className="notices">
      {isLost && (
        <p className="notice">
          <Icon name="alert" />
          <span>{problem}</span>
          <button type="button" onClick={() => void chat.connect()}>
            Try again
          </button>
        </p>
      )}
      {notice !== undefined && (
        <p className="notice">
          <span>{notice}</span>
          <IconButton icon="close" label="Close this notice" onClick={() => chat.notify(undefined)} />
        </p>
      )}
    </div>
  );
}
