import type { DecodingStats } from '../../engine/decoding-stats.ts';
import type { FinishReason } from '../../engine/engine.ts';
import { LlmHostError, messageOf } from '../../errors.ts';

/** Figures of one reply. */
export interface ReplyStats {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  /** Milliseconds. */
  readonly firstTokenMs: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
  /** Left out where the engine does not say. */
  readonly decoding?: DecodingStats;
  readonly finishReason: FinishReason;
  /** The reply was ended, by `length`, since it repeated itself without end. */
  readonly repetitive?: true;
  /** Tokens of its thoughts, where they had a limit. */
  readonly thinkingTokens?: number;
  /** The text of `stop` that ended the reply. */
  readonly stopString?: string;
}

/** A token of a reply's content with its log-probability. */
export interface TokenLogprob {
  readonly token: string;
  /** Its UTF-8, perhaps a part of a character; undefined: that of `token`. */
  readonly bytes?: readonly number[];
  /** Natural log of the probability before penalties, temperature and truncation. */
  readonly logprob: number;
  /** The most probable tokens, best first. */
  readonly top: readonly Omit<TokenLogprob, 'top'>[];
}

/** Events of a turn, from the prompt to the final reply, for every reader (lines, JSON, screen, HTTP). */
export type TurnEvent =
  | { readonly type: 'prefill'; readonly done: number; readonly total: number; readonly cached: number }
  /** `logprobs` only if requested. */
  | { readonly type: 'token'; readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  /** Not all tools fit the budget: those the model can call from now on. */
  | {
      readonly type: 'tools_offered';
      readonly names: readonly string[];
      /** The tools among them that are new. */
      readonly added: readonly string[];
      /** Tokens of their definitions. */
      readonly tokens: number;
      readonly budget: number;
      /** Tools that there are. */
      readonly total: number;
    }
  | { readonly type: 'tool_progress'; readonly id: string; readonly message: string }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly seconds: number;
      /** Paths of its images and sounds that were saved. */
      readonly saved?: readonly string[];
    }
  | {
      readonly type: 'tool_error';
      readonly id: string;
      readonly name: string;
      readonly message: string;
      readonly seconds: number;
      /** The user, or the lack of one, refused the call. */
      readonly refused?: true;
    }
  /** The complete reply. */
  | { readonly type: 'assistant'; readonly text: string; readonly cancelled: boolean }
  /** `summary`: the reply is part of a summary of the oldest turns, not of the conversation. */
  | { readonly type: 'stats'; readonly stats: ReplyStats; readonly summary?: true }
  | { readonly type: 'notice'; readonly message: string }
  /** The oldest turns became a summary, before this one. Tokens of the whole prompt. */
  | {
      readonly type: 'compaction';
      readonly turns: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly summary: string;
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly hint?: string };

/** The event for anything thrown in a turn. */
export function errorEvent(error: unknown): Extract<TurnEvent, { type: 'error' }> {
  const { code, hint } = error instanceof LlmHostError ? error : { code: 'UNEXPECTED', hint: undefined };
  return { type: 'error', code, message: messageOf(error), ...(hint && { hint }) };
}
