import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, toolDefinition } from '../http/body-fields.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { ToolsPolicy } from '../http/tools-policy.ts';
import { type TurnBody, toTurn } from '../openai/chat-request.ts';
import { toMessages } from './messages.ts';

const tool = z.looseObject({
  type: z.string().nullish(),
  name: toolDefinition.shape.function.shape.name,
  description: z.string().nullish(),
  input_schema: jsonSchema.nullish(),
  defer_loading: z.boolean().nullish(),
});

const single = { disable_parallel_tool_use: z.boolean().nullish() };

const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['auto', 'any', 'none']), ...single }),
  z.looseObject({ type: z.literal('tool'), name: z.string(), ...single }),
]);

const thinking = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['disabled', 'adaptive', 'between_tools']) }),
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.number().int().min(1024) }),
]);

const outputFormat = z.looseObject({ type: z.literal('json_schema'), schema: jsonSchema });

/** The body of a request to count tokens: all fields but those about the reply. */
export const countBody = z.looseObject({
  model: z.string().nullish(),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: z.unknown().optional() }))
    .min(1)
    .max(10_000),
  system: z.unknown().optional(),
  tools: z.array(tool).max(512).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: z.looseObject({ effort: z.string().nullish(), format: outputFormat.nullish() }).nullish(),
});

export const messagesBody = countBody.extend({
  max_tokens: z.number(),
  stream: z.boolean().nullish(),
  metadata: z.looseObject({ user_id: z.string().max(256).nullish() }).nullish(),
});

export type MessagesBody = z.infer<typeof countBody>;

/** Fields that only Anthropic's own servers can honour. */
const ELSEWHERE = ['container', 'mcp_servers'] as const;

/** Throws ApiError 400 for anything we cannot do. */
export function toMessagesTurn(
  body: MessagesBody,
  context: Pick<ServeContext, 'model' | 'turns'>,
  policy: ToolsPolicy,
): TurnRequest {
  for (const name of ELSEWHERE) if (body[name] != null) throw badRequest(`${name}: not supported here`, name);
  const { thinking: asked, max_tokens: maxTokens } = body;
  if (asked?.type === 'enabled' && typeof maxTokens === 'number' && asked.budget_tokens >= maxTokens)
    throw badRequest('max_tokens must be greater than thinking.budget_tokens', 'max_tokens');
  const budget = asked?.type === 'enabled' ? asked.budget_tokens : undefined;
  const { model, turns } = context;
  if (budget !== undefined && model.thinks && !turns.limitsThinking)
    throw badRequest(
      "thinking.budget_tokens: the thoughts of this model cannot be limited; use thinking.type 'adaptive'",
      'thinking.budget_tokens',
    );
  const messages = toMessages(body.messages, body.system);
  const fields = { api: 'anthropic', format: 'output_config.format' } as const;
  return { ...toTurn(turnBodyOf(body), messages, context, policy, fields), thinkingBudget: budget };
}

/** Converts the body to the fields of a chat completion. */
function turnBodyOf(body: MessagesBody): TurnBody {
  const { tools, tool_choice: choice, thinking: asked, output_config: output } = body;
  return {
    ...body,
    tools: tools?.map(toFunction),
    tool_choice: choiceOf(choice),
    parallel_tool_calls: choice?.disable_parallel_tool_use === true ? false : undefined,
    chat_template_kwargs: asked && { enable_thinking: asked.type !== 'disabled' },
    response_format: output?.format && { type: 'json_schema', json_schema: { schema: output.format.schema } },
    n: undefined,
    logprobs: undefined,
    top_logprobs: undefined,
    reasoning_effort: undefined,
  };
}

function toFunction(
  { type, name, description, input_schema: parameters, defer_loading }: z.infer<typeof tool>,
  index: number,
) {
  if (type != null && type !== 'custom')
    throw badRequest(`tools[${index}]: tools of type '${type}' are not run here`, `tools[${index}].type`);
  if (parameters == null)
    throw badRequest(`tools[${index}].input_schema: required`, `tools[${index}].input_schema`);
  return { defer_loading, function: { name, description, parameters } };
}

function choiceOf(choice: MessagesBody['tool_choice']): TurnBody['tool_choice'] {
  if (choice == null) return choice;
  if (choice.type === 'tool')
    return { type: 'function', function: { name: (choice as { readonly name: string }).name } };
  return choice.type === 'any' ? 'required' : (choice.type as 'auto' | 'none');
}
