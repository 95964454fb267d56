import { memo, useState } from 'react';
import type { UserMessage } from '../../conversation/types.ts';
import { plain } from '../../markdown/plain.ts';
import { useChat } from '../../state/use-chat.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { IconButton } from '../../widgets/icon-button.tsx';
import { BranchSwitch } from './branch-switch.tsx';
import { EditForm } from './edit-form.tsx';

interface QuestionProps {
  readonly message: UserMessage;
  /** The one that Alt + ↑ edits. */
  readonly isLast: boolean;
}

/** A user's message. */
export const Question = memo(({ message, isLast }: QuestionProps) => {
  const chat = useChat();
  const [editing, setEditing] = useState(false);
  const { id, text, files } = message;
  const edit = (changed: string) => {
    setEditing(false);
    chat.edit(id, changed);
  };
  return (
    <article className="question" aria-label="You">
      <h2 className="sr-only">You</h2>
      {editing ? (
        <EditForm
          text={text}
          mayBeEmpty={files.length > 0}
          onSave={edit}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <p className="bubble">{plain(text)}</p>
      )}
      {files.length > 0 && (
        <ul className="files" aria-label="Files">
          {files.map(({ name }) => (
            <li key={name}>
              <Icon name="attach" /> {name}
            </li>
          ))}
        </ul>
      )}
      <div className="actions">
        <BranchSwitch message={message} />
        <CopyButton text={text} label="Copy the question" />
        <IconButton
          icon="edit"
          label="Edit the question"
          onClick={() => setEditing(true)}
          data-edit={isLast ? 'last' : undefined}
        />
      </div>
    </article>
  );
});
