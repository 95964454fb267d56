import type { AssistantMessage } from '../conversation/types.ts';

/** Tokens a second while it was being written; undefined: too short to say. */
export function speedOf({ usage, writingMs = 0 }: AssistantMessage): number | undefined {
  if (!usage || usage.replyTokens < 5 || writingMs < 50) return undefined;
  return (usage.replyTokens * 1000) / writingMs;
}

/** `41.2 tokens/s` */
export function speedText(tokensPerSecond: number): string {
  return `${tokensPerSecond.toFixed(tokensPerSecond < 100 ? 1 : 0)} tokens/s`;
}
