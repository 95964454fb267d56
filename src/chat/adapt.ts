import type { ChatFormat } from '../parse/formats/format.ts';
import { hermes } from '../parse/formats/hermes.ts';
import type { PromptStyle } from '../parse/formats/prompt-style.ts';
import type { TemplateCapability } from './capability.ts';
import type { Message, ToolDefinition } from './message.ts';

/**
 * Does in text what the model's template does not do, in the model's own `format` where it has one, else in a prompt `style`: tools in the
 * system message, past calls and results as content, several calls one by one, arguments as JSON text, the system
 * message folded into the first user turn. A capable template gets everything as it is.
 */
export function adaptConversation(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  can: TemplateCapability,
  format?: ChatFormat,
  style: PromptStyle = hermes,
): { messages: readonly object[]; tools: readonly ToolDefinition[] } {
  const inText = tools.length > 0 && !can.rendersTools;
  const own = format ?? style;
  let adapted = messages;
  if (!can.rendersCalls || (inText && !format)) {
    // A model that was trained on its own form knows results in the role that its template gives them.
    const keepResults = format !== undefined && can.rendersResults;
    adapted = adapted.map(message => callsAsText(message, own, keepResults));
  } else if (!can.severalCalls) {
    adapted = oneCallEach(adapted);
  }
  if (inText) adapted = withSystemText(adapted, toolInstructions(tools, own));
  if (!can.systemRole) adapted = foldSystem(adapted);
  const written = can.objectArguments || !can.rendersCalls ? adapted : adapted.map(argumentsAsText);
  return { messages: written, tools: inText ? [] : tools };
}

function callsAsText(message: Message, format: ChatFormat, keepResults: boolean): Message {
  if (message.role === 'tool') {
    return keepResults
      ? message
      : { role: 'user', content: format.writeResult(message.content, message.name) };
  }
  if (message.role !== 'assistant' || !message.tool_calls) return message;
  const calls = format.writeCalls(message.tool_calls.map(call => call.function));
  return { role: 'assistant', content: [message.content, calls].filter(Boolean).join('\n') };
}

/** Every call in a message of its own, each followed by its result. */
function oneCallEach(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'tool') return [];
    if (message.role !== 'assistant' || !message.tool_calls) return [message];
    const after = messages.slice(index + 1);
    const end = after.findIndex(one => one.role !== 'tool');
    const results = end < 0 ? after : after.slice(0, end);
    return message.tool_calls.flatMap((call, at): Message[] => [
      { ...message, content: at === 0 ? message.content : '', tool_calls: [call] },
      ...results.filter(result => result.role === 'tool' && result.tool_call_id === call.id),
    ]);
  });
}

function argumentsAsText(message: Message): object {
  if (message.role !== 'assistant' || !message.tool_calls) return message;
  const calls = message.tool_calls.map(call => ({
    ...call,
    function: { ...call.function, arguments: JSON.stringify(call.function.arguments) },
  }));
  return { ...message, tool_calls: calls };
}

function toolInstructions(tools: readonly ToolDefinition[], format: PromptStyle): string {
  const list = tools.map(tool => JSON.stringify(tool.function)).join('\n');
  const example = format.writeCalls([{ name: 'tool name', arguments: { argument: 'value' } }]);
  const result = format.writeResult('result', 'tool name');
  const values: Readonly<Record<string, string>> = { tools: list, call: example, result };
  if (format.instructions !== undefined) {
    return format.instructions.replace(/\{(tools|call|result)\}/g, (_, key: string) => values[key] ?? '');
  }
  return (
    `You can call these tools:\n<tools>\n${list}\n</tools>\n` +
    `To call one, answer with the call in this form and nothing else:\n${example}\n` +
    `The result comes back like this:\n${result}\nAnswer in words when no tool is needed.`
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
