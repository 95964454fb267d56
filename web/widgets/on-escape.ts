import type { KeyboardEvent } from 'react';

/** Handles Esc here, so that it does nothing else on the page. */
export const onEscape = (act: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  act();
};
