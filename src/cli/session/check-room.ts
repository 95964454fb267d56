import type { Message, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import type { OpenedModel } from '../../run/open-model.ts';

/** Throws LlmHostError CONTEXT_FULL for a model that cannot hold the conversation. */
export function checkRoom(
  { model, name }: OpenedModel,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): void {
  const tokens = model.countTokens({ messages, tools });
  if (tokens <= model.contextLength) return;
  throw new LlmHostError(
    'CONTEXT_FULL',
    `the conversation takes ${tokens} tokens, and the context of ${name} is ${model.contextLength}`,
    { hint: '/compact makes it shorter, /clear forgets it.' },
  );
}
