import type { ReplyStats } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { withReply } from './with-reply.ts';

const SPENT: ReplyStats = {
  promptTokens: 0,
  cachedTokens: 0,
  generatedTokens: 0,
  firstTokenMs: 0,
  prefillMs: 0,
  decodeMs: 0,
  finishReason: 'length',
};

/** The same model with one budget of tokens for the thoughts of all its replies. */
export function budgetedThinking(model: ChatModel, budget: number | undefined): ChatModel {
  if (budget === undefined) return model;
  let left = budget;
  return withReply(model, async function* (request) {
    const stats = yield* model.reply({ ...request, thinkingBudget: left });
    left = Math.max(0, left - (stats.thinkingTokens ?? 0));
    return stats;
  });
}

/**
 * The same model with one budget of `maxTokens` for all its replies: those between tool calls, failed calls and repaired
 * answers included. Once the budget is spent, a reply is empty and ends by `length`.
 */
export function budgetedModel(model: ChatModel, maxTokens: number | undefined): ChatModel {
  if (maxTokens === undefined) return model;
  let left = maxTokens;
  return withReply(model, async function* (request) {
    if (left <= 0) return SPENT;
    const stats = yield* model.reply({ ...request, sampling: { ...request.sampling, maxTokens: left } });
    left -= stats.generatedTokens;
    return stats;
  });
}
