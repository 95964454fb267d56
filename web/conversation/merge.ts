import type { Conversation, Message } from './types.ts';

/**
 * Two copies of a conversation as one: all messages of both, of the same message the newer. So two tabs that write to the
 * same conversation lose nothing. Title and settings are those that were chosen last, the branches those of `mine`.
 */
export function merged(mine: Conversation, theirs: Conversation): Conversation {
  const messages: Record<string, Message> = { ...theirs.messages };
  for (const [id, message] of Object.entries(mine.messages)) {
    messages[id] = newer(message, messages[id]);
  }
  const { title, titled } = (theirs.titled ?? 0) > (mine.titled ?? 0) ? theirs : mine;
  const { settings, configured } = (theirs.configured ?? 0) > (mine.configured ?? 0) ? theirs : mine;
  return {
    ...mine,
    title,
    settings,
    ...(titled !== undefined && { titled }),
    ...(configured !== undefined && { configured }),
    updated: Math.max(mine.updated, theirs.updated),
    messages,
    chosen: { ...theirs.chosen, ...mine.chosen },
  };
}

function newer(mine: Message, theirs: Message | undefined): Message {
  if (theirs?.role !== 'assistant' || mine.role !== 'assistant') return mine;
  return theirs.revision > mine.revision ? theirs : mine;
}
