import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { Message } from '../../chat/message.ts';
import { badRequest } from '../http/api-error.ts';
import { given, jsonSchema, toolDefinition, toSeed, toTool } from '../http/body-fields.ts';
import { openaiMessage } from './messages.ts';

const number = (min: number, max: number) => z.number().min(min).max(max).nullish();

/** What chat and plain completions share. */
export const samplingFields = {
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: number(0, 5),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  min_p: z.number().min(0).lt(1).nullish(),
  repetition_penalty: z.number().gt(0).max(10).nullish(),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  logit_bias: z.record(z.string().regex(/^\d+$/), z.number().min(-100).max(100)).nullish(),
  seed: z.number().int().nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
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
  ...samplingFields,
  tools: z.array(toolDefinition).max(512).nullish(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), named]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  reasoning_effort: z.string().nullish(),
});

export const chatBody = turnBody.extend({ messages: z.array(openaiMessage).min(1).max(10_000) });

/** What a turn is asked for, but for the conversation. */
export type TurnBody = z.infer<typeof turnBody>;
type SamplingBody = z.infer<z.ZodObject<typeof samplingFields>>;

/** What is asked of the turns; throws ApiError 400 for what cannot be done. */
export function toTurn(
  body: TurnBody,
  messages: readonly Message[],
  toolNames: (own: TurnRequest['tools']) => readonly string[],
): TurnRequest {
  if (body.n != null && body.n !== 1)
    throw badRequest('n: one reply at a time is generated; send n requests', 'n');
  if (body.top_logprobs != null && body.logprobs !== true) {
    throw badRequest('top_logprobs: set logprobs to true as well', 'top_logprobs');
  }
  const tools = (body.tools ?? []).map(toTool);
  const choice = body.tool_choice ?? 'auto';
  const toolChoice = typeof choice === 'string' ? choice : { name: choice.function.name };
  const known = toolNames(tools);
  if (typeof toolChoice === 'object' && !known.includes(toolChoice.name)) {
    throw badRequest(`tool_choice: there is no tool '${toolChoice.name}'`, 'tool_choice');
  }
  if (toolChoice === 'required' && known.length === 0) {
    throw badRequest('tool_choice: required, but there are no tools', 'tool_choice');
  }
  return {
    messages,
    tools,
    toolChoice,
    sampling: toSampling(body, body.max_completion_tokens),
    logprobs: body.logprobs ? (body.top_logprobs ?? 0) : undefined,
    thinking: toThinking(body),
    shape: toShape(body.response_format),
    overflow: 'stop',
  };
}

export function toSampling(body: SamplingBody, maxTokens?: number | null): TurnRequest['sampling'] {
  return given({
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    minP: body.min_p,
    repetitionPenalty: body.repetition_penalty,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    logitBias: body.logit_bias,
    seed: body.seed == null ? undefined : toSeed(body.seed),
    maxTokens: maxTokens ?? body.max_tokens,
    stop: typeof body.stop === 'string' ? [body.stop] : body.stop,
  });
}

/** `reasoning_effort: none`, or the switch that vLLM and others pass to the template. */
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

function toShape(format: TurnBody['response_format']): TurnRequest['shape'] {
  if (format == null || format.type === 'text') return undefined;
  return 'json_schema' in format && format.type === 'json_schema'
    ? { schema: format.json_schema.schema }
    : {};
}
