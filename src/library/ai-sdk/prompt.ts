import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider';
import type { Message, ToolCall } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

type Content<Role> = Extract<LanguageModelV3Message, { role: Role }>['content'];

/** The conversation as the chat template takes it. @throws LlmHostError USAGE: an image, or another file that is not text */
export function messagesOf(prompt: LanguageModelV3Prompt): Message[] {
  return prompt.flatMap(messagesOfOne);
}

function messagesOfOne(message: LanguageModelV3Message): readonly Message[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: message.content.map(userText).join('\n') }];
    case 'assistant':
      return assistantMessages(message.content);
    case 'tool':
      return resultMessages(message.content);
  }
}

function userText(part: Content<'user'>[number]): string {
  return part.type === 'text' ? part.text : textOfFile(part);
}

function textOfFile({ data, mediaType, filename = 'a file' }: LanguageModelV3FilePart): string {
  if (!mediaType.startsWith('text/') || data instanceof URL) {
    throw new LlmHostError('USAGE', `${filename} (${mediaType}) cannot be read: this model takes text`);
  }
  return typeof data === 'string'
    ? Buffer.from(data, 'base64').toString('utf8')
    : new TextDecoder().decode(data);
}

/** A result that stands in it was given by the provider, which here calls nothing itself. */
function assistantMessages(content: Content<'assistant'>): readonly Message[] {
  let text = '';
  let thinking = '';
  const calls: ToolCall[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    if (part.type === 'reasoning') thinking += part.text;
    if (part.type === 'tool-call') calls.push(callOf(part));
  }
  const message: Message = {
    role: 'assistant',
    content: text,
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return [message, ...resultMessages(content)];
}

function callOf(part: Extract<Content<'assistant'>[number], { type: 'tool-call' }>): ToolCall {
  const args = isPlainObject(part.input) ? part.input : { input: part.input };
  return { id: part.toolCallId, type: 'function', function: { name: part.toolName, arguments: args } };
}

function resultMessages(content: Content<'assistant' | 'tool'>): Message[] {
  return content.flatMap(part =>
    part.type === 'tool-result'
      ? {
          role: 'tool' as const,
          tool_call_id: part.toolCallId,
          name: part.toolName,
          content: textOfResult(part.output),
        }
      : [],
  );
}

function textOfResult(output: LanguageModelV3ToolResultOutput): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'error-text':
      return `Error: ${output.value}`;
    case 'json':
      return JSON.stringify(output.value);
    case 'error-json':
      return `Error: ${JSON.stringify(output.value)}`;
    case 'execution-denied':
      return `Error: The call was refused${output.reason === undefined ? '' : `: ${output.reason}`}`;
    case 'content':
      return output.value.map(one => (one.type === 'text' ? one.text : `[${one.type}]`)).join('\n');
  }
}
