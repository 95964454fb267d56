import { z } from 'zod';
import type { Message, ToolCall } from '../../chat/message.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { badRequest } from '../http/api-error.ts';

const textPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
});
export const textContent = z.union([z.string(), z.array(textPart)]).nullish();
const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
});

/** Calls of one message. */
const MAX_CALLS = 512;

export const openaiMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: textContent,
  name: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(toolCall).max(MAX_CALLS).nullish(),
  tool_call_id: z.string().nullish(),
});

type OpenaiMessage = z.infer<typeof openaiMessage>;

/** OpenAI's messages in the shape that templates expect. Throws ApiError 400. */
export function toMessages(messages: readonly OpenaiMessage[]): Message[] {
  const names = new Map<string, string>();
  const read = messages.map((message, index) => toMessage(message, `messages[${index}]`, names));
  return joinSystem(read);
}

function toMessage(message: OpenaiMessage, at: string, names: Map<string, string>): Message {
  if (message.role !== 'assistant' && message.role !== 'tool') requireContent(message.content, at);
  const text = textOf(message.content, at);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: text };
    case 'user':
      return { role: 'user', content: text };
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map((call, index) =>
        toCall(call, `${at}.tool_calls[${index}]`),
      );
      for (const call of calls) names.set(call.id, call.function.name);
      const reasoning = message.reasoning ?? message.reasoning_content;
      return {
        role: 'assistant',
        content: text,
        ...(reasoning && { reasoning_content: reasoning }),
        ...(calls.length > 0 && { tool_calls: calls }),
      };
    }
    case 'tool': {
      const id = message.tool_call_id ?? '';
      const name = names.get(id);
      if (name === undefined) {
        throw badRequest(`${at}: tool_call_id '${id}' answers no call before it`, `${at}.tool_call_id`);
      }
      return { role: 'tool', content: text, tool_call_id: id, name };
    }
  }
}

/** A message of the user or the system without content says nothing: the client has lost it. */
export function requireContent(value: unknown, at: string): void {
  if (value == null) throw badRequest(`${at}: content must be a text or a list of parts`, `${at}.content`);
}

/** The text of all parts. Throws ApiError 400 for a part without text. */
export function textOf(value: z.infer<typeof textContent>, at: string): string {
  if (typeof value === 'string') return value;
  return (value ?? [])
    .map(({ type, text, refusal }) => {
      const words = text ?? refusal;
      if (words !== undefined) return words;
      throw badRequest(
        `${at}: parts of type '${type}' cannot be read; this model takes text`,
        `${at}.content`,
      );
    })
    .join('\n');
}

function toCall(call: z.infer<typeof toolCall>, at: string): ToolCall {
  const { name, arguments: written } = call.function;
  return {
    id: call.id,
    type: 'function',
    function: { name, arguments: readArguments(written, `${at}.function`) },
  };
}

export function readArguments(written: string | Record<string, unknown> | null | undefined, at: string) {
  if (typeof written !== 'string') return written ?? {};
  if (written.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    value = undefined;
  }
  if (isPlainObject(value)) return value as Record<string, unknown>;
  throw badRequest(`${at}: the arguments are not a JSON object`, `${at}.arguments`);
}

/** Templates expect one system message, at the start. */
export function joinSystem(messages: readonly Message[]): Message[] {
  const end = messages.findIndex(message => message.role !== 'system');
  const leading = end < 0 ? messages : messages.slice(0, end);
  const system = leading
    .map(message => message.content)
    .filter(Boolean)
    .join('\n\n');
  const rest = end < 0 ? [] : messages.slice(end);
  return [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...rest];
}
