import { useEffect } from 'react';
import { useChat } from './use-chat.ts';

/** Keys that work everywhere on the page; see `SHORTCUTS`. */
export function useShortcuts({ onHelp }: { readonly onHelp: () => void }): void {
  const chat = useChat();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // Esc in a dialog closes it, and nothing else.
      if (event.isComposing || document.querySelector('dialog[open]')) return;
      const command = event.ctrlKey || event.metaKey;
      const inField = (event.target as Element).matches('input, textarea, select');
      if (event.key === 'Escape') chat.stop();
      else if (command && event.shiftKey && event.key.toLowerCase() === 'o') chat.newChat();
      else if (!inField && !command && event.key === '/') document.getElementById('question')?.focus();
      else if (!inField && !command && event.key === '?') onHelp();
      else return;
      if (event.key !== 'Escape') event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [chat, onHelp]);
}
