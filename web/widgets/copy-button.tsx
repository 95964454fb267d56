import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { Icon } from './icon.tsx';

/** How long it says that it has worked. */
const SHOWN_MS = 1500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copyText(text)) ? 'Copied' : 'Not copied');
  return (
    <button type="button" className="quiet" onClick={() => void copy()} aria-label={label} title={label}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      <span role="status" className={said ? '' : 'sr-only'}>
        {said}
      </span>
    </button>
  );
}
