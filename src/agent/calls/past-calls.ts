import type { History } from '../../chat/history.ts';
import type { Message } from '../../chat/message.ts';

/** Makes ids for calls: `call_1`, `call_2`, ... without those that the conversation has, which another run may have made. */
export function newCallIds(history: History): () => string {
  let count = 0;
  return () => {
    const messages = [...history.summarized, ...history.messages];
    const taken = new Set(
      messages.flatMap(message =>
        message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
      ),
    );
    do count += 1;
    while (taken.has(`call_${count}`));
    return `call_${count}`;
  };
}

/** The tools that were called in a conversation, the latest first. */
export function calledTools(messages: readonly Message[]): string[] {
  const names = messages.flatMap(message =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map(call => call.function.name) : [],
  );
  return [...new Set(names.reverse())];
}
