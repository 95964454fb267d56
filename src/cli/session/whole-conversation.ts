import type { Message } from '../../chat/message.ts';
import type { SavedSession } from './saved-sessions.ts';

/** Every word that was said, in order: a summary gives way to what it stands for. */
export function wholeConversation({ messages, summarized = [] }: SavedSession): readonly Message[] {
  if (summarized.length === 0) return messages;
  const start = messages.findIndex(({ role }) => role === 'user');
  const rest = messages.slice(start + 1);
  const next = rest.findIndex(({ role }) => role === 'user');
  return [...messages.slice(0, start), ...summarized, ...(next < 0 ? [] : rest.slice(next))];
}

/** `60 turns, the oldest 48 as a summary`. */
export function turnCount(session: SavedSession): string {
  const turns = countOf(wholeConversation(session));
  const old = countOf(session.summarized ?? []);
  const oldest = old === 0 ? '' : `, the oldest ${old === 1 ? 'one' : old} as a summary`;
  return `${turns} ${turns === 1 ? 'turn' : 'turns'}${oldest}`;
}

const countOf = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === 'user').length;
