import type { LanguageModelV3CallOptions, SharedV3Warning } from '@ai-sdk/provider';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { ToolDefinition } from '../../chat/message.ts';
import { checkResponseFormat, type ResponseFormat } from '../../grammar/response-format.ts';
import { samplingOf } from '../sampling-of.ts';
import { messagesOf } from './prompt.ts';

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
