import { Fragment } from 'react';
import { Dialog } from '../widgets/dialog.tsx';

const SHORTCUTS = [
  ['Enter', 'send the question'],
  ['Shift + Enter', 'new line'],
  ['Esc', 'stop the reply'],
  ['Alt + ↑', 'edit the last question'],
  ['Ctrl or ⌘ + Shift + O', 'new chat'],
  ['/', 'to the question field'],
  ['?', 'this list'],
] as const;

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {SHORTCUTS.map(([keys, does]) => (
          <Fragment key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="hint">
        Conversations are kept in this browser only. <a href="page/licences.txt">Licences</a> of what this
        page is made of.
      </p>
    </Dialog>
  );
}
