import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  SharedV3Warning,
} from '@ai-sdk/provider';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { Message, ToolCall, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import { checkResponseFormat, type ResponseFormat } from '../../grammar/response-format.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { samplingOf } from '../sampling-of.ts';

/** Converts the SDK's options to a request; `warnings` lists what is left out. @throws LlmHostError USAGE */
export function requestOf(options: LanguageModelV3CallOptions): {
  readonly request: TurnRequest;
  readonly warnings: SharedV3Warning[];
} {
  const { toolChoice: choice, responseFormat } = options;
  const warnings: SharedV3Warning[] = [];
  const tools = (options.tools ?? []).flatMap((tool): readonly ToolDefinition[] => {
    if (tool.type === 'function') return [definitionOf(tool)];
    warnings.push({
      type: 'unsupported',
      feature: `tool ${tool.id}`,
      details: 'only functions can be called',
    });
    return [];
  });
  const request: TurnRequest = {
    messages: messagesOf(options.prompt),
    tools,
    ours: false,
    overflow: 'stop',
    toolChoice: choice?.type === 'tool' ? { name: choice.toolName } : (choice?.type ?? 'auto'),
    sampling: sampling(options),
    responseFormat: responseFormat && formatOf(responseFormat),
  };
  return { request, warnings };
}

function definitionOf({
  name,
  description,
  inputSchema,
}: Extract<NonNullable<LanguageModelV3CallOptions['tools']>[number], { type: 'function' }>): ToolDefinition {
  const parameters = inputSchema as Readonly<Record<string, unknown>>;
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters },
  };
}

function sampling(options: LanguageModelV3CallOptions) {
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, seed } = options;
  const { maxOutputTokens: maxTokens, stopSequences: stop } = options;
  const given = { temperature, topP, topK, presencePenalty, frequencyPenalty, seed, maxTokens, stop };
  return samplingOf(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}

function formatOf(
  format: NonNullable<LanguageModelV3CallOptions['responseFormat']>,
): ResponseFormat | undefined {
  if (format.type === 'text') return undefined;
  if (format.schema === undefined) return { type: 'json_object' };
  const asked: ResponseFormat = {
    type: 'json_schema',
    schema: format.schema as Readonly<Record<string, unknown>>,
  };
  checkResponseFormat(asked);
  return asked;
}

type Content<Role> = Extract<LanguageModelV3Message, { role: Role }>['content'];

/** The conversation as the chat template takes it. @throws LlmHostError USAGE: an image, or another file that is not text */
function messagesOf(prompt: LanguageModelV3Prompt): Message[] {
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
