import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import type { ParseEvent } from '../../parse/types/parse-event.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import type { ReplyStats, TokenLogprob } from '../events/turn-event.ts';

export interface ReplyRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly sampling: Sampling;
  /** Holds calls to the schemas of `tools`, where the model's form of calls has JSON in it. Default false. */
  readonly constrainCalls?: boolean;
  /** Holds all that is neither thinking nor a call to JSON. @see responseProblems for what it cannot see to. */
  readonly responseFormat?: ResponseFormat;
  readonly signal?: AbortSignal;
  /** Top log-probabilities for each token of the content, 0..20. Default: none. */
  readonly logprobs?: number;
  /** Think or not, for this reply. Default: as `setThinking` said. */
  readonly thinking?: boolean;
  /** `required`: the reply begins as a call; `{ name }`: of this tool. A model that cannot be held to it may not. */
  readonly toolChoice?: ToolChoice;
  /** Goes on with this text, without template, tools or parser; `messages` and `tools` are not looked at. */
  readonly text?: string;
}

export type ToolChoice = 'auto' | 'required' | { readonly name: string };

/** What of a request the prompt depends on. */
export type PromptRequest = Pick<ReplyRequest, 'messages' | 'tools' | 'thinking' | 'text'>;

export type ReplyEvent =
  | Exclude<ParseEvent, { type: 'content' }>
  | { readonly type: 'content'; readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  | { readonly type: 'prefill'; readonly done: number; readonly total: number; readonly cached: number };

export type ThinkingOutcome = 'done' | 'less' | 'none';

/** A model that answers messages: template, tokenizer, engine and parser behind one door. */
export interface ChatModel {
  /** Name for people and for files. */
  readonly name?: string;
  /** Tokens. */
  readonly contextLength: number;
  /** A call as this model should write it, to be shown as an example. */
  writeCall?(name: string, args: Readonly<Record<string, unknown>>): string;
  /**
   * Makes the model think before it answers, or not; from the next reply on. Without a call the template decides.
   * @returns what the model's template can do about it: `done`, `less` (it only thinks less), `none` (no switch)
   */
  setThinking?(on: boolean): ThinkingOutcome;
  /** A call of the model ran, or was given up: a model that is asked for calls as text may be asked otherwise then. */
  callSettled?(worked: boolean): void;
  /** Whether `constrainCalls` has an effect. Default false. */
  readonly canConstrain?: boolean;
  /** Whether replies can have a `responseFormat`; else one that asks for it is refused. Default false. */
  readonly canFollowFormat?: boolean;
  /** Tokens of the prompt that `request` becomes. */
  countTokens(request: PromptRequest): number;
  /**
   * One reply. An abort ends the stream early with `finishReason: 'cancelled'` in the stats; engine failures throw
   * LlmHostError, a prompt longer than the context with code CONTEXT_FULL.
   */
  reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats>;
}
