import type { Conversation, Message } from './types.ts';

/**
 * Two copies of a conversation as one: all messages of both, of the same message the newer. So two tabs that write to the
 * same conversation lose nothing. Title, settings and chosen branches are those of `mine`.
 */
export function merged(mine: Conversation, theirs: Conversation): Conversation {
  const messages: Record<string, Message> = { ...theirs.messages };
  for (const [id, message] of Object.entries(mine.messages)) {
    messages[id] = newer(message, messages[id]);
  }
  return {
    ...mine,
    updated: Math.max(mine.updated, theirs.updated),
    messages,
    chosen: { ...theirs.chosen, ...mine.chosen },
  };
}

function newer(mine: Message, theirs: Message | undefined): Message {
  if (theirs?.role !== 'assistant' || mine.role !== 'assistant') return mine;
  return theirs.revision > mine.revision ? theirs : mine;
}
