import { merged } from '../conversation/merge.ts';
import type { Conversation } from '../conversation/types.ts';

const NAME = 'llm-host-left';

/**
 * Keeps conversations at once, while a page that goes has no time for IndexedDB, beside those of other tabs that go; false:
 * there is no room for them.
 */
export function leaveBehind(conversations: readonly Conversation[]): boolean {
  if (conversations.length === 0) return true;
  const left = new Map(leftBehind().map(one => [one.id, one]));
  for (const one of conversations) {
    const theirs = left.get(one.id);
    left.set(one.id, theirs ? merged(one, theirs) : one);
  }
  return keep([...left.values()]);
}

/** Hands on what was left, and forgets each once it is kept: until then nothing else has it. Throws what `kept` throws. */
export async function takeLeft(kept: (conversation: Conversation) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of leftBehind()) {
    try {
      await kept(one);
      const text = JSON.stringify(one);
      // Another tab may have left more of it meanwhile.
      keep(leftBehind().filter(other => JSON.stringify(other) !== text));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** These were deleted: what another tab has left of them must not come back. */
export function dropLeft(ids: readonly string[]): void {
  const left = leftBehind();
  const others = left.filter(({ id }) => !ids.includes(id));
  if (others.length < left.length) keep(others);
}

function leftBehind(): readonly Conversation[] {
  try {
    const left: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(left) ? left : [];
  } catch {
    return [];
  }
}

function keep(conversations: readonly Conversation[]): boolean {
  try {
    if (conversations.length === 0) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify(conversations));
    return true;
  } catch {
    return false;
  }
}
