import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import type { ParseEvent } from '../../parse/types/parse-event.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import type { ReplyStats, TokenLogprob } from '../events/turn-event.ts';

export interface ReplyRequest {
  readonly messages: readonly Message[];
  /** All that may be called. */
  readonly tools: readonly ToolDefinition[];
  /** The tools that the template gets; the others are defined in `messages`. Default: `tools`. */
  readonly listed?: readonly ToolDefinition[];
  readonly sampling: Sampling;
  /** Constrain calls to the schemas of `tools`, if the model writes them as JSON. Default false. */
  readonly constrainCalls?: boolean;
  /** Constrain everything but thinking and calls to JSON. @see responseProblems for what a grammar cannot enforce. */
  readonly responseFormat?: ResponseFormat;
  readonly signal?: AbortSignal;
  /** Top log-probabilities per token of the content, 0..20. Default: none. */
  readonly logprobs?: number;
  /** Whether to think in this reply. Default: as set by `setThinking`. */
  readonly thinking?: boolean;
  /** Tokens that the thoughts may take; then they are closed. @see ChatModel.limitsThinking. Default: no limit. */
  readonly thinkingBudget?: number;
  /** Read calls where nothing can be called. Default: if there are results of tools in `messages`. */
  readonly readsCalls?: boolean;
  /** End the reply after its first call. Default false. */
  readonly singleCall?: boolean;
  /** `required`: the reply must start with a call; `{ name }`: of this tool. Not every model can be made to. */
  readonly toolChoice?: ToolChoice;
  /** Continue this text instead, without template, tools or parser; `messages` and `tools` are ignored. */
  readonly text?: string;
  /** The tokens of `text`, if the caller has them; they are used as they are. */
  readonly textIds?: readonly number[];
}

export type ToolChoice = 'auto' | 'required' | { readonly name: string };

/** The part of a request that determines the prompt. */
export type PromptRequest = Pick<
  ReplyRequest,
  'messages' | 'tools' | 'listed' | 'thinking' | 'text' | 'textIds'
>;

export type ReplyEvent =
  | Exclude<ParseEvent, { type: 'content' }>
  | { readonly type: 'content'; readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  | { readonly type: 'prefill'; readonly done: number; readonly total: number; readonly cached: number };

export type ThinkingOutcome = 'done' | 'less' | 'none';

/** A model that answers messages: template, tokenizer, engine and parser in one. */
export interface ChatModel {
  /** For people, and for file names. */
  readonly name?: string;
  /** Tokens. */
  readonly contextLength: number;
  /** The number of its weights; undefined or 0: not known. */
  readonly parameters?: number;
  /** A call as this model should write it, as an example for it. */
  writeCall?(name: string, args: Readonly<Record<string, unknown>>): string;
  /**
   * Turns thinking on or off from the next reply on; by default the template decides.
   * @returns what the model's template supports: `done`, `less` (it can only think less), `none` (no switch)
   */
  setThinking?(on: boolean): ThinkingOutcome;
  /** A call ran or was given up; a model that gets its tools as text may be asked in another style from then on. */
  callSettled?(worked: boolean): void;
  /** News of the model for the user before the next reply; each once. */
  takeNotices?(): readonly string[];
  /** Whether `constrainCalls` has an effect. Default false. */
  readonly canConstrain?: boolean;
  /** A call held to its schema is withdrawn where the model has to invent a value. Default false. */
  readonly withdrawsCalls?: boolean;
  /** Begins with a look at what was said before, where a question names it. @see lookUpFirst. Default false. */
  readonly looksUpFirst?: boolean;
  /** Whether `responseFormat` is supported; if not, requests with one are refused. Default false. */
  readonly canFollowFormat?: boolean;
  /** Whether `thinkingBudget` is kept. Default false. */
  readonly limitsThinking?: boolean;
  /** Tokens of the request's prompt; an estimate beyond four contexts. */
  countTokens(request: PromptRequest): number;
  /**
   * One reply. An abort ends the stream early with `finishReason: 'cancelled'`. Engine failures throw LlmHostError; a
   * prompt longer than the context has code CONTEXT_FULL.
   */
  reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats>;
}
