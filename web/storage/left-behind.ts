import type { Conversation } from '../conversation/types.ts';

const NAME = 'llm-host-left';

/** Keeps conversations at once, while a page that goes has no time for IndexedDB; false: there is no room for them. */
export function leaveBehind(conversations: readonly Conversation[]): boolean {
  if (conversations.length === 0) return true;
  try {
    localStorage.setItem(NAME, JSON.stringify(conversations));
    return true;
  } catch {
    return false;
  }
}

/** What was left, once. */
export function takeLeft(): readonly Conversation[] {
  try {
    const left: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    localStorage.removeItem(NAME);
    return Array.isArray(left) ? left : [];
  } catch {
    return [];
  }
}
