import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { CompletionRequest } from '../../agent/requests/request-turns.ts';
import type { Message, ToolCall } from '../../chat/message.ts';
import { SAMPLING_FIELDS } from '../../text/sampling/fields.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, schemaFormat, toolDefinition, toTool } from '../http/body-fields.ts';
import { offeredTools } from '../http/offered-tools.ts';
import { readSampling, type SamplingReaders } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { ToolsPolicy } from '../http/tools-policy.ts';
import { joinSystem, requireContent } from '../openai/messages.ts';

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

const ollamaMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  thinking: z.string().nullish(),
  images: z.array(z.unknown()).nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().nullish(),
        function: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).nullish() }),
      }),
    )
    .nullish(),
  tool_name: z.string().nullish(),
  /** The former name of `tool_name`. */
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
});

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

type OllamaMessage = z.infer<typeof ollamaMessage>;

/** A call without a result so far; `given`: its id, if the client has kept it. */
interface OpenCall {
  readonly call: ToolCall;
  readonly given: string | null | undefined;
}

/** Ollama's messages in the shape that templates expect. Ids may be left out there: results belong to calls in order then. */
export function toMessages(messages: readonly OllamaMessage[]): Message[] {
  const open: OpenCall[] = [];
  let count = 0;
  const read = messages.map((message, index): Message => {
    if (message.role === 'user' && !message.images?.length)
      requireContent(message.content, `messages[${index}]`);
    const content = message.content ?? '';
    if (message.images && message.images.length > 0) {
      throw badRequest(
        `messages[${index}]: this model takes text only, not images`,
        `messages[${index}].images`,
      );
    }
    switch (message.role) {
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(({ id: given, function: { name, arguments: args } }) => {
          count += 1;
          const call = {
            id: `call_${count}`,
            type: 'function',
            function: { name, arguments: args ?? {} },
          } as const;
          open.push({ call, given });
          return call;
        });
        return {
          role: 'assistant',
          content,
          ...(message.thinking && { reasoning_content: message.thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        };
      }
      case 'tool': {
        const [found] = open.splice(placeOf(message, open), 1);
        if (!found)
          throw badRequest(`messages[${index}]: there is no call for this result`, `messages[${index}]`);
        const { id, function: called } = found.call;
        return { role: 'tool', content, tool_call_id: id, name: called.name };
      }
      default:
        return { role: message.role, content };
    }
  });
  return joinSystem(read);
}

/** The index of the call that a result answers. */
function placeOf({ tool_call_id: id, tool_name, name }: OllamaMessage, open: readonly OpenCall[]): number {
  const byId = id ? open.findIndex(({ given }) => given === id) : -1;
  if (byId >= 0) return byId;
  const wanted = tool_name ?? name;
  return Math.max(
    0,
    open.findIndex(({ call }) => call.function.name === wanted),
  );
}
