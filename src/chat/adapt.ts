import { hermes } from '../parse/formats/hermes.ts';
import type { TemplateCapability } from './capability.ts';
import type { Message, ToolDefinition } from './message.ts';

/**
 * Does in text what the model's template does not do: tools in the system message, past calls and results as
 * content, the system message folded into the first user turn. A capable template gets everything as it is.
 */
export function adaptConversation(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  can: TemplateCapability,
): { messages: readonly Message[]; tools: readonly ToolDefinition[] } {
  const inText = tools.length > 0 && !can.rendersTools;
  let adapted = messages;
  if (!can.rendersCalls || inText) adapted = adapted.map(callsAsText);
  if (inText) adapted = withSystemText(adapted, toolInstructions(tools));
  if (!can.systemRole) adapted = foldSystem(adapted);
  return { messages: adapted, tools: inText ? [] : tools };
}

function callsAsText(message: Message): Message {
  if (message.role === 'tool')
    return { role: 'user', content: hermes.writeResult(message.content, message.name) };
  if (message.role !== 'assistant' || !message.tool_calls) return message;
  const calls = hermes.writeCalls(message.tool_calls.map(call => call.function));
  return { role: 'assistant', content: [message.content, calls].filter(Boolean).join('\n') };
}

function toolInstructions(tools: readonly ToolDefinition[]): string {
  const list = tools.map(tool => JSON.stringify(tool.function)).join('\n');
  return (
    `You can call these tools:\n<tools>\n${list}\n</tools>\n` +
    'To call one, answer with a JSON object inside tags and nothing else:\n' +
    '<tool_call>\n{"name": "tool name", "arguments": {"argument": "value"}}\n</tool_call>\n' +
    'The result comes back inside <tool_response> tags. Answer in words when no tool is needed.'
  );
}

function withSystemText(messages: readonly Message[], text: string): Message[] {
  const [first, ...rest] = messages;
  if (first?.role === 'system') return [{ role: 'system', content: `${first.content}\n\n${text}` }, ...rest];
  return [{ role: 'system', content: text }, ...messages];
}

function foldSystem(messages: readonly Message[]): readonly Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return messages;
  const at = rest.findIndex(message => message.role === 'user');
  const user = rest[at];
  if (!user) return [{ role: 'user', content: first.content }, ...rest];
  return rest.with(at, { role: 'user', content: `${first.content}\n\n${user.content}` });
}
