import { newConversation, withMessage } from '../../web/conversation/tree.ts';
import {
  type AssistantMessage,
  type Conversation,
  DEFAULT_SETTINGS,
  type Part,
  type UserMessage,
} from '../../web/conversation/types.ts';

export const question = (id: string, parent?: string, text = id): UserMessage => ({
  id,
  parent,
  role: 'user',
  created: Number(id.replace(/\D/g, '')),
  text,
  files: [],
});

export const reply = (
  id: string,
  parent: string,
  parts: readonly Part[] = [{ type: 'text', text: id }],
  more: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  id,
  parent,
  role: 'assistant',
  created: Number(id.replace(/\D/g, '')),
  model: 'm',
  parts,
  state: 'done',
  revision: 1,
  changed: 0,
  writer: 'w',
  ...more,
});

/** q1 - a2 - q3 - a4, and a second reply a5 to q3. */
export function sample(): Conversation {
  const messages = [
    question('q1'),
    reply('a2', 'q1'),
    question('q3', 'a2'),
    reply('a4', 'q3'),
    reply('a5', 'q3'),
  ];
  const empty = newConversation('c', DEFAULT_SETTINGS, 0);
  return messages.reduce((grown, message) => withMessage(grown, message, message.created), empty);
}
