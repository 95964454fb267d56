import type { Message, ToolCall } from '../../chat/message.ts';

/** The result of a call for the history. */
export function toolMessage(call: ToolCall, content: string): Message {
  return { role: 'tool', tool_call_id: call.id, name: call.function.name, content };
}
