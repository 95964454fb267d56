import { join } from 'node:path';
import type { Message } from '../../../chat/message.ts';
import { messageOf } from '../../../errors.ts';
import type { ToolCase } from '../cases/tool-case.ts';
import { damaged, readLines } from './bfcl-lines.ts';
import { type ConversationCategory, questionsOf } from './conversation-categories.ts';

/** What the user says when withheld tools are there at last; BFCL's own words. */
export const MORE_TOOLS = 'I have updated some more functions you can choose from. What about now?';

interface Question {
  readonly id: string;
  /** The messages of each turn: of its user, or none where tools are added. */
  readonly question: readonly (readonly Message[])[];
  readonly involved_classes: readonly string[];
  readonly missed_function?: Readonly<Record<string, readonly string[]>>;
}

/** The cases of a category, in the order of its file. @throws LlmHostError CONFIG for data that cannot be read */
export function readConversations(folder: string, category: ConversationCategory): ToolCase[] {
  const path = join(folder, questionsOf(category));
  return readLines<Question>(path).map(entry => {
    try {
      return toolCase(entry, category);
    } catch (error) {
      throw damaged(path, `${entry.id}: ${messageOf(error)}`, error);
    }
  });
}

function toolCase(
  { id, question, involved_classes: services, missed_function: missed = {} }: Question,
  category: string,
): ToolCase {
  const withheld = new Map(Object.entries(missed).map(([turn, names]) => [Number(turn), names]));
  const turns = question.map((messages, turn) =>
    withheld.has(turn) ? MORE_TOOLS : messages.map(({ content }) => content).join('\n\n'),
  );
  return {
    id,
    category,
    messages: [],
    tools: [],
    expected: { kind: 'conversation' },
    conversation: { turns, services: [...services], withheld },
  };
}
