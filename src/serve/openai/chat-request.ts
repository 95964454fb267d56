import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { Message } from '../../chat/message.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, schemaFormat, toolDefinition, toTool } from '../http/body-fields.ts';
import { readSampling } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { openaiMessage } from './messages.ts';

/** Fields that chat, completions and responses share besides the sampling fields. */
export const sharedFields = {
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().int().nullish(),
  user: z.string().max(256).nullish(),
};

const named = z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) });

const responseFormat = z.union([
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().nullish(),
      schema: jsonSchema,
      strict: z.boolean().nullish(),
    }),
  }),
]);

const turnBody = z.looseObject({
  ...sharedFields,
  tools: z.array(toolDefinition).max(512).nullish(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), named]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  reasoning_effort: z.string().nullish(),
});

export const chatBody = turnBody.extend({ messages: z.array(openaiMessage).min(1).max(10_000) });

/** A request for a turn, without the conversation. */
export type TurnBody = z.infer<typeof turnBody>;

/** Throws ApiError 400 for anything we cannot do. */
export function toTurn(
  body: TurnBody,
  messages: readonly Message[],
  { model, turns }: Pick<ServeContext, 'model' | 'turns'>,
  limit: 'max_completion_tokens' | 'max_output_tokens' = 'max_completion_tokens',
): TurnRequest {
  if (body.n != null && body.n !== 1)
    throw badRequest('n: only one reply per request is supported; send n requests', 'n');
  if (body.top_logprobs != null && body.logprobs !== true) {
    throw badRequest('top_logprobs: set logprobs to true as well', 'top_logprobs');
  }
  const tools = (body.tools ?? []).map(toTool);
  const choice = body.tool_choice ?? 'auto';
  const toolChoice = typeof choice === 'string' ? choice : { name: choice.function.name };
  const known = turns.toolNames(tools);
  if (typeof toolChoice === 'object' && !known.includes(toolChoice.name)) {
    throw badRequest(`tool_choice: there is no tool '${toolChoice.name}'`, 'tool_choice');
  }
  if (toolChoice === 'required' && known.length === 0) {
    throw badRequest('tool_choice: required, but there are no tools', 'tool_choice');
  }
  return {
    messages,
    tools,
    deferred: new Set((body.tools ?? []).flatMap(tool => (tool.defer_loading ? [tool.function.name] : []))),
    toolChoice,
    sampling: readSampling(body, { api: 'openai', limit, vocabSize: model.vocabSize }),
    logprobs: body.logprobs ? (body.top_logprobs ?? 0) : undefined,
    thinking: toThinking(body),
    responseFormat: toResponseFormat(
      body.response_format,
      limit === 'max_output_tokens' ? 'text.format' : 'response_format',
    ),
    overflow: 'stop',
  };
}

/** `reasoning_effort: none`, or the template switch of vLLM and others. */
function toThinking(body: TurnBody): boolean | undefined {
  const kwargs = body.chat_template_kwargs;
  const asked =
    typeof kwargs === 'object' && kwargs !== null && 'enable_thinking' in kwargs
      ? kwargs.enable_thinking
      : undefined;
  if (typeof asked === 'boolean') return asked;
  if (body.reasoning_effort == null) return undefined;
  return body.reasoning_effort !== 'none' && body.reasoning_effort !== 'minimal';
}

function toResponseFormat(format: TurnBody['response_format'], param: string): TurnRequest['responseFormat'] {
  if (format == null || format.type === 'text') return undefined;
  return 'json_schema' in format && format.type === 'json_schema'
    ? schemaFormat(format.json_schema.schema, param)
    : { type: 'json_object' };
}
