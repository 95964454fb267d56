import type { Message, ToolDefinition } from '../chat/message.ts';
import type { ChatModel } from './model/chat-model.ts';

/** Tokens kept free for the reply, as a share of the context. */
const REPLY_SHARE = 0.125;

/**
 * The messages that fit the model's context: whole oldest turns (a user message with everything up to the next
 * one) are left out, the system message and the latest turn never. History itself is not touched.
 */
export function fitContext(
  model: ChatModel,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): { messages: readonly Message[]; droppedTurns: number } {
  const limit = model.contextLength - Math.ceil(model.contextLength * REPLY_SHARE);
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const head = messages.slice(0, starts[0] ?? messages.length);
  let kept = messages;
  let droppedTurns = 0;
  while (droppedTurns < starts.length - 1 && model.countTokens({ messages: kept, tools }) > limit) {
    droppedTurns += 1;
    kept = [...head, ...messages.slice(starts[droppedTurns])];
  }
  return { messages: kept, droppedTurns };
}
