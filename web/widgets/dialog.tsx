import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from './icon-button.tsx';

interface DialogProps {
  readonly title: string;
  /** Left out: it cannot be closed. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** A window over the page, which keeps the focus until it is closed. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
