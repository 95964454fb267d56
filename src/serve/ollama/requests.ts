import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { CompletionRequest } from '../../agent/requests/request-turns.ts';
import type { Message } from '../../chat/message.ts';
import { SAMPLING_FIELDS } from '../../text/sampling/fields.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, schemaFormat, toolDefinition, toTool } from '../http/body-fields.ts';
import { offeredTools } from '../http/offered-tools.ts';
import { readSampling, type SamplingReaders } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { ToolsPolicy } from '../http/tools-policy.ts';
import { ollamaMessage, toMessages } from './messages.ts';

/** Only the sampling fields matter here; `num_ctx` and the like are set when the model is loaded. */
const options = z.record(z.string(), z.unknown());

const shared = {
  model: z.string().min(1),
  stream: z.boolean().nullish(),
  format: z.union([z.literal('json'), z.literal(''), jsonSchema]).nullish(),
  options: options.nullish(),
  think: z.union([z.boolean(), z.string()]).nullish(),
  keep_alive: z.union([z.string(), z.number()]).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
};

export const chatBody = z.looseObject({
  ...shared,
  messages: z.array(ollamaMessage).max(10_000).nullish(),
  tools: z.array(toolDefinition).max(512).nullish(),
});

export const generateBody = z.looseObject({
  ...shared,
  prompt: z.string().nullish(),
  suffix: z.string().nullish(),
  system: z.string().nullish(),
  raw: z.boolean().nullish(),
  images: z.array(z.unknown()).nullish(),
});

type Shared = z.infer<z.ZodObject<typeof shared>>;

/** A chat as a turn; like Ollama, drops the oldest turns of one that is too long. */
export function toTurn(
  body: z.infer<typeof chatBody>,
  { turns }: Pick<ServeContext, 'turns'>,
  policy: ToolsPolicy,
): TurnRequest {
  const asked = { tools: (body.tools ?? []).map(toTool), toolChoice: 'auto' } as const;
  return {
    ...common(body),
    ...offeredTools(asked, policy, turns),
    messages: toMessages(body.messages ?? []),
  };
}

/** A prompt as a turn of one message, without tools. */
export function toPromptTurn(body: z.infer<typeof generateBody>): TurnRequest {
  refuseUnknown(body);
  const system: Message[] = body.system ? [{ role: 'system', content: body.system }] : [];
  const user: Message = { role: 'user', content: body.prompt ?? '' };
  return { ...common(body), messages: [...system, user], tools: [], toolChoice: 'none', ours: false };
}

/** A prompt without the template. */
export function toCompletion(body: z.infer<typeof generateBody>): CompletionRequest {
  refuseUnknown(body);
  const { sampling, logprobs } = common(body);
  return { text: body.prompt ?? '', sampling, logprobs };
}

function refuseUnknown({ images, suffix }: z.infer<typeof generateBody>): void {
  if (images && images.length > 0) throw badRequest('images: this model takes text', 'images');
  if (suffix) throw badRequest('suffix: this model cannot fill a gap', 'suffix');
}

function toResponseFormat(format: Shared['format']): TurnRequest['responseFormat'] {
  if (format == null || format === '') return undefined;
  return format === 'json' ? { type: 'json_object' } : schemaFormat(format, 'format');
}

function common({ options: sampling, format, think, logprobs, top_logprobs }: Shared) {
  return {
    sampling: readSampling(sampling ?? {}, { api: 'ollama', prefix: 'options.', readers: READERS }),
    logprobs: logprobs ? (top_logprobs ?? 0) : undefined,
    // Levels (`low`, `high`) all mean thinking.
    thinking: think == null ? undefined : think !== false,
    responseFormat: toResponseFormat(format),
    overflow: 'trim' as const,
  };
}

/** Where Ollama accepts more than the table. */
const READERS: SamplingReaders = {
  // -1, -2 and 0 mean up to the end of the context, whatever the server's own limit.
  maxTokens: value =>
    Number.isInteger(value) && (value as number) <= 0 ? SAMPLING_FIELDS.maxTokens.range.max : value,
};
