import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, toolDefinition } from '../http/body-fields.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { ToolsPolicy } from '../http/tools-policy.ts';
import { sharedFields, type TurnBody, toTurn } from './chat-request.ts';
import { inputMessages, responsesInput } from './responses-input.ts';

const format = z.union([
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().nullish(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

export const responsesBody = z.looseObject({
  ...sharedFields,
  input: responsesInput,
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        defer_loading: toolDefinition.shape.defer_loading,
        ...toolDefinition.shape.function.shape,
      }),
    )
    .max(512)
    .nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.looseObject({ type: z.literal('function'), name: z.string() }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
});

export type ResponsesBody = z.infer<typeof responsesBody>;

const FIELDS = { api: 'openai', limit: 'max_output_tokens', format: 'text.format' } as const;

/** Fields for state that only OpenAI's own servers keep. */
const ELSEWHERE = ['conversation', 'prompt'] as const;

/** `before`: the items that precede the input. Throws ApiError 400 for anything we cannot do. */
export function toResponseTurn(
  body: ResponsesBody,
  before: readonly unknown[],
  context: Pick<ServeContext, 'model' | 'turns'>,
  policy: ToolsPolicy,
): TurnRequest {
  for (const name of ELSEWHERE) {
    if (body[name] != null)
      throw badRequest(`${name}: not supported here; send input and previous_response_id`, name);
  }
  if (body.n != null && body.n !== 1) throw badRequest('n: a response is one reply', 'n');
  if (body.background === true)
    throw badRequest('background: not supported; responses are returned at once or streamed', 'background');
  const items = [...(before as ResponsesBody['input']), ...body.input];
  const messages = inputMessages(items, body.instructions ?? '', before.length);
  const turn = toTurn(turnBodyOf(body), messages, context, policy, FIELDS);
  return { ...turn, overflow: body.truncation === 'auto' ? 'trim' : 'stop' };
}

/** Whether to return log-probabilities. */
function wantsLogprobs({ include, top_logprobs }: ResponsesBody): boolean {
  return top_logprobs != null || include?.includes('message.output_text.logprobs') === true;
}

/** Converts the body to the fields of a chat completion. */
function turnBodyOf(body: ResponsesBody): TurnBody {
  const { tools, tool_choice: choice, text, reasoning, top_logprobs } = body;
  return {
    ...body,
    tools: tools?.map(({ type: _, defer_loading, ...definition }) => ({
      defer_loading,
      function: definition,
    })),
    tool_choice:
      choice != null && typeof choice === 'object'
        ? { type: 'function', function: { name: choice.name } }
        : choice,
    response_format: formatOf(text?.format),
    reasoning_effort: reasoning?.effort,
    logprobs: wantsLogprobs(body),
    top_logprobs,
  };
}

function formatOf(asked: z.infer<typeof format> | null | undefined): TurnBody['response_format'] {
  if (asked?.type !== 'json_schema') return asked;
  const { name, schema, strict } = asked as Extract<typeof asked, { schema: unknown }>;
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}
