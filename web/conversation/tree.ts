import { type ChatSettings, type Conversation, type Message, ROOT } from './types.ts';

const TITLE_CHARS = 60;

export function newConversation(id: string, settings: ChatSettings, now: number): Conversation {
  return { id, title: 'New chat', created: now, updated: now, settings, messages: {}, chosen: {} };
}

/** The messages that follow `parent`, the oldest first. */
export function childrenOf({ messages }: Conversation, parent: string | undefined): Message[] {
  return Object.values(messages)
    .filter(message => message.parent === parent)
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/** The messages of the chosen branch, from the first to the last; where none is chosen, of the newest. */
export function pathOf(conversation: Conversation): Message[] {
  const { messages, chosen } = conversation;
  const followers = new Map<string, Message[]>();
  for (const message of Object.values(messages)) {
    const parent = message.parent ?? ROOT;
    followers.set(parent, [...(followers.get(parent) ?? []), message]);
  }
  const path: Message[] = [];
  let parent = ROOT;
  // No longer than there are messages, whatever an imported file says.
  while (path.length < Object.keys(messages).length) {
    const beside = followers.get(parent) ?? [];
    const newest = beside.toSorted((a, b) => a.created - b.created).at(-1);
    const next: Message | undefined = beside.find(({ id }) => id === chosen[parent]) ?? newest;
    if (!next) break;
    path.push(next);
    parent = next.id;
  }
  return path;
}

/** The path up to and with a message, whichever branches are chosen. */
export function pathTo(conversation: Conversation, id: string | undefined): Message[] {
  const path: Message[] = [];
  const seen = new Set<string>();
  for (let at = id; at !== undefined && !seen.has(at); ) {
    const message: Message | undefined = conversation.messages[at];
    if (!message) break;
    seen.add(at);
    path.unshift(message);
    at = message.parent;
  }
  return path;
}

/** Adds a message, or puts it in the place of the one with its id; a new one is chosen. */
export function withMessage(conversation: Conversation, message: Message, now: number): Conversation {
  const isNew = !Object.hasOwn(conversation.messages, message.id);
  const chosen = { ...conversation.chosen, [message.parent ?? ROOT]: message.id };
  const first = message.role === 'user' && message.parent === undefined;
  return {
    ...conversation,
    updated: now,
    messages: { ...conversation.messages, [message.id]: message },
    ...(isNew && { chosen }),
    ...(isNew && first && conversation.title === 'New chat' && { title: titleOf(message.text) }),
  };
}

/** Shows the branch of a message. */
export function choose(conversation: Conversation, id: string): Conversation {
  const message = conversation.messages[id];
  if (!message) return conversation;
  return { ...conversation, chosen: { ...conversation.chosen, [message.parent ?? ROOT]: id } };
}

/** Another conversation that begins with the messages up to this one. */
export function branchAt(
  conversation: Conversation,
  id: string,
  newIdOf: () => string,
  now: number,
): Conversation {
  const { title, settings } = conversation;
  const begun = newConversation(newIdOf(), settings, now);
  let parent: string | undefined;
  const copies = pathTo(conversation, id).map(message => {
    const copy = { ...message, id: newIdOf(), parent };
    parent = copy.id;
    return copy;
  });
  return {
    ...begun,
    title: `${title} (branch)`,
    messages: Object.fromEntries(copies.map(copy => [copy.id, copy])),
    chosen: Object.fromEntries(copies.map(copy => [copy.parent ?? ROOT, copy.id])),
  };
}

/** The first line of a question, as far as a list has room. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? '';
  if (line === '') return 'New chat';
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…` : line;
}
