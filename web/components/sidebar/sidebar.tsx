import { useEffect, useRef, useState } from 'react';
import { useChat, useChatState } from '../../state/use-chat.ts';
import { Icon } from '../../widgets/icon.tsx';
import { IconButton } from '../../widgets/icon-button.tsx';
import { onEscape } from '../../widgets/on-escape.ts';
import { ConversationItem } from './conversation-item.tsx';
import { TransferButtons } from './transfer-buttons.tsx';

/** The list of conversations: beside the chat, or over it where there is no room. */
export function Sidebar({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const chat = useChat();
  const summaries = useChatState(state => state.summaries);
  const currentId = useChatState(state => state.currentId);
  const [filter, setFilter] = useState('');
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) return;
    panel.current?.focus();
    return () => document.getElementById('menu')?.focus();
  }, [open]);
  const shown = summaries.filter(({ title }) => title.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <>
      {open && <button type="button" className="backdrop" aria-label="Close the list" onClick={onClose} />}
      <nav
        ref={panel}
        className={open ? 'sidebar open' : 'sidebar'}
        aria-label="Conversations"
        tabIndex={-1}
        onKeyDown={open ? onEscape(onClose) : undefined}
      >
        <div className="row">
          <button
            type="button"
            className="new-chat"
            onClick={() => {
              chat.newChat();
              onClose();
              document.getElementById('question')?.focus();
            }}
          >
            <Icon name="plus" /> New chat
          </button>
          {open && <IconButton icon="close" label="Close the list" onClick={onClose} />}
        </div>
        {summaries.length > 8 && (
          <input
            type="search"
            aria-label="Search the titles"
            placeholder="Search"
            value={filter}
            onChange={event => setFilter(event.target.value)}
          />
        )}
        <ul className="conversations">
          {shown.map(summary => (
            <ConversationItem
              key={summary.id}
              summary={summary}
              current={summary.id === currentId}
              onOpened={onClose}
            />
          ))}
        </ul>
        <TransferButtons />
      </nav>
    </>
  );
}
