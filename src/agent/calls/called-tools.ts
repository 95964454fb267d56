import type { Message } from '../../chat/message.ts';

/** The tools that were called in a conversation, the latest first. */
export function calledTools(messages: readonly Message[]): string[] {
  const names = messages.flatMap(message =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map(call => call.function.name) : [],
  );
  return [...new Set(names.reverse())];
}
