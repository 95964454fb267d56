import { type FormEvent, useState } from 'react';
import { useChat } from '../../state/use-chat.ts';
import type { Summary } from '../../storage/database.ts';
import { IconButton } from '../../widgets/icon-button.tsx';
import { onEscape } from '../../widgets/on-escape.ts';

interface ConversationItemProps {
  readonly summary: Summary;
  readonly current: boolean;
  readonly onOpened: () => void;
}

/** A conversation in the list, with what can be done to it. */
export function ConversationItem({ summary: { id, title }, current, onOpened }: ConversationItemProps) {
  const chat = useChat();
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting'>('shown');
  const back = () => setMode('shown');
  if (mode === 'renaming') return <RenameForm id={id} title={title} onDone={back} />;
  if (mode === 'deleting') {
    return (
      <li className="item asking">
        <span className="title">Delete “{title}”?</span>
        <button type="button" className="danger" onClick={() => void chat.delete([id])}>
          Delete
        </button>
        <button type="button" onClick={back}>
          Keep
        </button>
      </li>
    );
  }
  return (
    <li className={current ? 'item current' : 'item'}>
      <button
        type="button"
        className="title"
        aria-current={current ? 'page' : undefined}
        onClick={() => {
          void chat.open(id);
          onOpened();
        }}
      >
        {title}
      </button>
      <span className="item-actions">
        <IconButton icon="edit" label={`Rename ${title}`} onClick={() => setMode('renaming')} />
        <IconButton icon="trash" label={`Delete ${title}`} onClick={() => setMode('deleting')} />
      </span>
    </li>
  );
}

interface RenameFormProps {
  readonly id: string;
  readonly title: string;
  readonly onDone: () => void;
}

function RenameForm({ id, title, onDone }: RenameFormProps) {
  const chat = useChat();
  const [text, setText] = useState(title);
  const rename = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void chat.rename(id, text.trim());
    onDone();
  };
  return (
    <li className="item">
      <form onSubmit={rename} className="rename">
        <input
          aria-label="Title"
          value={text}
          maxLength={200}
          // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
          autoFocus
          onChange={event => setText(event.target.value)}
          onKeyDown={onEscape(onDone)}
        />
        <IconButton icon="close" label="Keep the old title" onClick={onDone} />
      </form>
    </li>
  );
}
