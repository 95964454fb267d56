import { type FormEvent, useState } from 'react';
import { useChat, useChatState } from '../state/use-chat.ts';
import { Dialog } from '../widgets/dialog.tsx';

/** Asks for the API key. */
export function KeyDialog() {
  const chat = useChat();
  const problem = useChatState(state => state.problem);
  const [key, setKey] = useState('');
  const [tried, setTried] = useState(false);
  const give = async (event: FormEvent) => {
    event.preventDefault();
    await chat.giveKey(key.trim());
    setTried(true);
  };
  return (
    <Dialog title="This server wants an API key">
      <form onSubmit={event => void give(event)} className="fields">
        <label>
          Key
          <input
            type="password"
            autoComplete="off"
            required
            value={key}
            onChange={event => setKey(event.target.value)}
            aria-describedby="key-hint"
          />
        </label>
        <p id="key-hint" className="hint">
          It stays in this tab until you close it.
        </p>
        {tried && problem !== undefined && (
          <p role="alert" className="error">
            {problem}
          </p>
        )}
        <footer>
          <button type="submit" className="primary">
            Continue
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
