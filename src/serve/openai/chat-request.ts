import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { Message } from '../../chat/message.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, schemaFormat, toolDefinition, toTool } from '../http/body-fields.ts';
import { offeredTools } from '../http/offered-tools.ts';
import { readSampling } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { ToolsPolicy } from '../http/tools-policy.ts';
import { openaiMessage } from './messages.ts';

/** Replies to one request. */
const MAX_CHOICES = 16;

/** Fields that chat, completions and responses share besides the sampling fields. */
export const sharedFields = {
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().int().min(1).max(MAX_CHOICES).nullish(),
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

/** How an API names what all of them have. */
interface TurnFields {
  readonly api: 'openai' | 'anthropic';
  /** Another name for `max_tokens`. */
  readonly limit?: string;
  /** Where the format of the reply is. */
  readonly format: string;
}

const CHAT_FIELDS: TurnFields = {
  api: 'openai',
  limit: 'max_completion_tokens',
  format: 'response_format',
};

/** Fields that would change the reply and are not supported. */
const ELSEWHERE = ['audio', 'functions', 'function_call', 'web_search_options'] as const;

function refuseElsewhere(body: TurnBody): void {
  const { modalities } = body;
  if (Array.isArray(modalities) && modalities.includes('audio'))
    throw badRequest('modalities: only text can be written here', 'modalities');
  for (const name of ELSEWHERE) {
    const value = body[name];
    if (value == null || (Array.isArray(value) && value.length === 0)) continue;
    const instead = name.startsWith('function') ? '; use tools' : '';
    throw badRequest(`${name}: not supported here${instead}`, name);
  }
}

/** Throws ApiError 400 for anything we cannot do. */
export function toTurn(
  body: TurnBody,
  messages: readonly Message[],
  { model, turns }: Pick<ServeContext, 'model' | 'turns'>,
  policy: ToolsPolicy,
  { format, ...fields }: TurnFields = CHAT_FIELDS,
): TurnRequest {
  refuseElsewhere(body);
  if (body.top_logprobs != null && body.logprobs !== true) {
    throw badRequest('top_logprobs: set logprobs to true as well', 'top_logprobs');
  }
  const choice = body.tool_choice ?? 'auto';
  const toolChoice = typeof choice === 'string' ? choice : { name: choice.function.name };
  const asked = { tools: (body.tools ?? []).map(toTool), toolChoice };
  return {
    messages,
    ...offeredTools(asked, policy, turns),
    deferred: new Set((body.tools ?? []).flatMap(tool => (tool.defer_loading ? [tool.function.name] : []))),
    sampling: readSampling(body, { ...fields, vocabSize: model.vocabSize }),
    logprobs: body.logprobs ? (body.top_logprobs ?? 0) : undefined,
    thinking: toThinking(body),
    singleCall: body.parallel_tool_calls === false,
    responseFormat: toResponseFormat(body.response_format, format),
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
