import { createHash } from 'node:crypto';
import { hermes } from '../parse/formats/json/hermes.ts';
import type { PromptStyle } from '../parse/formats/prompt-style.ts';
import type { ChatFormat } from '../parse/types/format.ts';
import { callText } from './call-text.ts';
import type { TemplateCapability } from './capability.ts';
import { Text } from './jinja/text.ts';
import type { Message, ToolDefinition } from './message.ts';

/** A message, or one whose content is partly our own text. */
type Adapted = Message | { readonly role: 'system' | 'user' | 'assistant'; readonly content: Text };

/**
 * Does in text what the model's template cannot, in the model's own `format` if it has one, else in a prompt `style`:
 * tools in the system message, or only how to call them; past calls and results as content; one call per message;
 * arguments as JSON text; the system message merged into the first user message; shorter ids; a reply to each user message.
 * For a capable template nothing changes.
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
  const answered = can.alternates ? withReplies(messages) : messages;
  let adapted: readonly Adapted[] = answered;
  if (!can.rendersCalls || (inText && !format)) {
    // A model trained on its own format knows results in the role its template gives them.
    const keepResults = format !== undefined && can.rendersResults;
    adapted = answered.map(message => callsAsText(message, own, keepResults));
  } else if (!can.severalCalls) {
    adapted = oneCallEach(answered);
  }
  if (inText) adapted = withSystemText(adapted, Text.of(toolInstructions(tools, own), true));
  else if (tools.length > 0 && format && can.hidesInstructions && messages[0]?.role === 'system') {
    adapted = withSystemText(adapted, callInstruction(format));
  }
  if (!can.systemRole) adapted = foldSystem(adapted);
  if (can.alternates) adapted = oneUserMessageEach(adapted);
  if (can.nineLetterIds) adapted = adapted.map(withShortIds);
  const written = can.objectArguments || !can.rendersCalls ? adapted : adapted.map(argumentsAsText);
  return { messages: written, tools: inText ? [] : tools };
}

function callsAsText(message: Message, format: ChatFormat, keepResults: boolean): Adapted {
  if (message.role === 'tool') {
    return keepResults
      ? message
      : { role: 'user', content: format.writeResult(message.content, message.name) };
  }
  if (message.role !== 'assistant' || !message.tool_calls) return message;
  const calls = callText(
    format,
    message.tool_calls.map(call => call.function),
  );
  return { role: 'assistant', content: message.content === '' ? calls : lines(message.content, calls) };
}

/** Every call in its own message, followed by its result. */
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

/** A turn that was cancelled may end with the results of its calls. */
function withReplies(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index): readonly Message[] =>
    message.role === 'user' && messages[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: '' }, message]
      : [message],
  );
}

/** User messages that follow each other as one, such as the results of two calls as text. */
function oneUserMessageEach(messages: readonly Adapted[]): Adapted[] {
  const merged: Adapted[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role !== 'user' || last?.role !== 'user') merged.push(message);
    else merged[merged.length - 1] = { role: 'user', content: paragraphs(last.content, message.content) };
  }
  return merged;
}

/** Maps an id always to the same short one, so that a prompt stays the beginning of the next. */
function withShortIds(message: Adapted): Adapted {
  if (message.role === 'tool') return { ...message, tool_call_id: shortId(message.tool_call_id) };
  if (!('tool_calls' in message) || !message.tool_calls) return message;
  return { ...message, tool_calls: message.tool_calls.map(call => ({ ...call, id: shortId(call.id) })) };
}

function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function argumentsAsText(message: Adapted): object {
  if (!('tool_calls' in message) || !message.tool_calls) return message;
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

/** For a template that drops its instructions on calling tools when there is a system message. */
function callInstruction(format: ChatFormat): Text {
  return lines(
    "When a tool is required to answer the user's query, respond only with the call in this form:",
    callText(format, [{ name: 'tool name', arguments: { argument: 'value' } }]),
  );
}

function withSystemText(messages: readonly Adapted[], text: Text): Adapted[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages];
  return [{ role: 'system', content: paragraphs(first.content, text) }, ...rest];
}

function foldSystem(messages: readonly Adapted[]): readonly Adapted[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return messages;
  const at = rest.findIndex(message => message.role === 'user');
  const user = rest[at];
  if (!user) return [{ role: 'user', content: asText(first.content) }, ...rest];
  return rest.with(at, { role: 'user', content: paragraphs(first.content, user.content) });
}

function lines(...parts: readonly (string | Text)[]): Text {
  return Text.join(parts.map(asText), Text.of('\n', true));
}

function paragraphs(...parts: readonly (string | Text)[]): Text {
  return Text.join(parts.map(asText), Text.of('\n\n', true));
}

function asText(content: string | Text): Text {
  return typeof content === 'string' ? Text.of(content, true) : content;
}
