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
        id: z.string().nullish(),
        function: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).nullish() }),
      }),
    )
    .nullish(),
  tool_name: z.string().nullish(),
  /** The former name of `tool_name`. */
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
});

type OllamaMessage = z.infer<typeof ollamaMessage>;

/** A call without a result so far; `given`: its id, if the client has kept it. */
interface OpenCall {
  readonly call: ToolCall;
  readonly given: string | null | undefined;
}

/** Ollama's messages in the shape that templates expect. Ids may be left out there: results belong to calls in order then. */
export function toMessages(messages: readonly OllamaMessage[]): Message[] {
  const open: OpenCall[] = [];
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
        const calls = (message.tool_calls ?? []).map(({ id: given, function: { name, arguments: args } }) => {
          count += 1;
          const call = {
            id: `call_${count}`,
            type: 'function',
            function: { name, arguments: args ?? {} },
          } as const;
          open.push({ call, given });
          return call;
        });
        return {
          role: 'assistant',
          content,
          ...(message.thinking && { reasoning_content: message.thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        };
      }
      case 'tool': {
        const [found] = open.splice(placeOf(message, open), 1);
        if (!found)
          throw badRequest(`messages[${index}]: there is no call for this result`, `messages[${index}]`);
        const { id, function: called } = found.call;
        return { role: 'tool', content, tool_call_id: id, name: called.name };
      }
      default:
        return { role: message.role, content };
    }
  });
  return joinSystem(read);
}

/** The index of the call that a result answers. */
function placeOf({ tool_call_id: id, tool_name, name }: OllamaMessage, open: readonly OpenCall[]): number {
  const byId = id ? open.findIndex(({ given }) => given === id) : -1;
  if (byId >= 0) return byId;
  const wanted = tool_name ?? name;
  return Math.max(
    0,
    open.findIndex(({ call }) => call.function.name === wanted),
  );
}
