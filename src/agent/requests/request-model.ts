import type { FinishReason } from '../../engine/engine.ts';
import type { ReplyStats } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** Waits for the engine; undefined once `signal` aborts. Call what it returns to free the engine. */
export type Acquire = (signal?: AbortSignal) => Promise<(() => void) | undefined>;

export interface RequestModelOptions {
  /** Before each reply; the engine is freed after it. */
  readonly acquire: Acquire;
  /** Tokens of all thoughts. Default: no limit. */
  readonly thinkingBudget?: number | undefined;
  /** Tokens of all replies: those between tool calls, failed calls and repaired answers included. Default: no limit. */
  readonly maxTokens?: number | undefined;
}

/**
 * The model as one request has it, with one budget for all its replies: once that is spent, a reply is empty and ends by
 * `length`. Its settings are the server's, so they cannot be changed.
 */
export function requestModel(
  model: ChatModel,
  { acquire, thinkingBudget, maxTokens }: RequestModelOptions,
): ChatModel {
  let tokensLeft = maxTokens;
  let thoughtsLeft = thinkingBudget;
  const { name, contextLength, parameters, canConstrain, canFollowFormat, limitsThinking } = model;
  const { withdrawsCalls, looksUpFirst } = model;
  return {
    name,
    contextLength,
    parameters,
    canConstrain,
    canFollowFormat,
    limitsThinking,
    withdrawsCalls,
    looksUpFirst,
    writeCall: model.writeCall?.bind(model),
    countTokens: request => model.countTokens(request),
    async *reply(asked) {
      if (tokensLeft !== undefined && tokensLeft <= 0) return noReply('length');
      const release = await acquire(asked.signal);
      if (!release) return noReply('cancelled');
      const sampling =
        tokensLeft === undefined ? asked.sampling : { ...asked.sampling, maxTokens: tokensLeft };
      const request = { ...asked, sampling, thinkingBudget: thoughtsLeft ?? asked.thinkingBudget };
      try {
        const stats = yield* model.reply(request);
        if (tokensLeft !== undefined) tokensLeft -= stats.generatedTokens;
        if (thoughtsLeft !== undefined)
          thoughtsLeft = Math.max(0, thoughtsLeft - (stats.thinkingTokens ?? 0));
        return stats;
      } finally {
        release();
      }
    },
  };
}

function noReply(finishReason: FinishReason): ReplyStats {
  return {
    promptTokens: 0,
    cachedTokens: 0,
    generatedTokens: 0,
    firstTokenMs: 0,
    prefillMs: 0,
    decodeMs: 0,
    finishReason,
  };
}
