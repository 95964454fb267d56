import type { Message } from '../../chat/message.ts';
import { KeptResults } from './kept-results.ts';
import { withoutReadOn } from './long-results.ts';
import { KeptLinks, withoutLinkNote } from './resource-links.ts';

/** The rest of long results and linked resources, which notes below the results of a conversation say how to read. */
export interface KeptReading {
  readonly results: KeptResults;
  readonly links: KeptLinks;
}

export function nothingKept(): KeptReading {
  return { results: new KeptResults(), links: new KeptLinks() };
}

/** The messages of a conversation that goes on without what was kept: no note outlives what it says how to read. */
export function withoutReadingNotes(messages: readonly Message[]): readonly Message[] {
  return messages.map(message =>
    message.role === 'tool'
      ? { ...message, content: withoutLinkNote(withoutReadOn(message.content)) }
      : message,
  );
}
