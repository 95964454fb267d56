import { type FormEvent, useState } from 'react';
import { onEscape } from '../../widgets/on-escape.ts';

interface EditFormProps {
  readonly text: string;
  /** Files go with the question, which say enough. */
  readonly mayBeEmpty: boolean;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Changes a question; the reply to the old one stays as a branch. */
export function EditForm({ text, mayBeEmpty, onSave, onCancel }: EditFormProps) {
  const [changed, setChanged] = useState(text);
  const canSave = mayBeEmpty || changed.trim() !== '';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (canSave) onSave(changed);
  };
  return (
    <form className="edit" onSubmit={save}>
      <textarea
        aria-label="Question"
        value={changed}
        rows={3}
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
        autoFocus
        onChange={event => setChanged(event.target.value)}
        onKeyDown={onEscape(onCancel)}
      />
      <footer>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={!canSave}>
          Ask again
        </button>
      </footer>
    </form>
  );
}
