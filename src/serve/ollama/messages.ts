import { z } from 'zod';
import type { Message, ToolCall } from '../../chat/message.ts';
import { badRequest } from '../http/api-error.ts';
import { joinSystem, requireContent } from '../openai/messages.ts';

export const ollamaMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  thinking: z.string().nullish(),
  images: z.array(z.unknown()).nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        function: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).nullish() }),
      }),
    )
    .nullish(),
  tool_name: z.string().nullish(),
});

type OllamaMessage = z.infer<typeof ollamaMessage>;

/**
 * Ollama's messages in the shape that templates expect. Calls have no ids there, so results belong to them in order.
 */
export function toMessages(messages: readonly OllamaMessage[]): Message[] {
  const open: ToolCall[] = [];
  let count = 0;
  const read = messages.map((message, index): Message => {
    if (message.role === 'user' && !message.images?.length)
      requireContent(message.content, `messages[${index}]`);
    const content = message.content ?? '';
    if (message.images && message.images.length > 0) {
      throw badRequest(
        `messages[${index}]: this model takes text only, not images`,
        `messages[${index}].images`,
      );
    }
    switch (message.role) {
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }): ToolCall => {
          count += 1;
          return { id: `call_${count}`, type: 'function', function: { name, arguments: args ?? {} } };
        });
        open.push(...calls);
        return {
          ...{ role: 'assistant', content },
          ...(message.thinking && { reasoning_content: message.thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        };
      }
      case 'tool': {
        const named = open.findIndex(call => call.function.name === message.tool_name);
        const [call] = open.splice(Math.max(0, named), 1);
        if (!call)
          throw badRequest(`messages[${index}]: there is no call for this result`, `messages[${index}]`);
        return { role: 'tool', content, tool_call_id: call.id, name: call.function.name };
      }
      default:
        return { role: message.role, content };
    }
  });
  return joinSystem(read);
}
