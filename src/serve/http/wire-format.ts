import type { ReplyStats, TokenLogprob, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from './api-error.ts';

/** A question about a call, sent to the client that is asked. */
export interface ApprovalEvent {
  readonly type: 'tool_approval';
  /** The call's id. */
  readonly id: string;
  /** The question's id: the path that its answer is posted to. */
  readonly approval: string;
  readonly name: string;
  readonly server: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly reason: 'destructive' | 'rule';
  /** Until the call is refused. */
  readonly seconds: number;
}

/** Events of our own tools. */
export type ToolEvent =
  | Extract<TurnEvent, { type: 'tool_call' | 'tool_progress' | 'tool_result' | 'tool_error' | 'notice' }>
  | ApprovalEvent;

/** Totals over all replies of the model in a request. */
export type Totals = Omit<ReplyStats, 'finishReason'> & {
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'cancelled';
  /** The last reply ended since it had filled the context. */
  readonly contextFull?: true;
  /** Milliseconds since the request arrived. */
  readonly totalMs: number;
};

/** The result of a whole request. */
export interface WholeReply {
  readonly text: string;
  readonly thinking: string;
  readonly logprobs: readonly TokenLogprob[] | undefined;
  /** For the client to run. */
  readonly calls: readonly ToolCall[];
  readonly events: readonly ToolEvent[];
  readonly totals: Totals;
}

/** The size of a request's first prompt, in tokens. */
export interface FirstPrompt {
  readonly tokens: number;
  /** The part that came from the KV cache. */
  readonly cached: number;
}

/** The replies to a request, in the order in which they were made: one, unless several were asked for. */
export type Replies = readonly [WholeReply, ...WholeReply[]];

/** How an API writes replies, streamed in pieces or whole. A piece is '' if the API has none for it. */
export interface WireFormat {
  readonly contentType: string;
  /** `prompt`: undefined where the engine does not say. */
  begin(prompt?: FirstPrompt): string;
  text(text: string, logprobs: readonly TokenLogprob[] | undefined): string;
  thinking(text: string): string;
  toolEvent(event: ToolEvent): string;
  /** Keeps the connection alive when there is nothing to send; `note` says why. */
  keepAlive(note: string): string;
  /** Ends a reply that is not the last. Left out where a request has one. */
  next?(calls: readonly ToolCall[], totals: Totals): string;
  /** `sum`: over all replies of the request. */
  end(calls: readonly ToolCall[], totals: Totals, sum: Totals): string;
  /** A failure after the stream has started. */
  error(error: ApiError): string;
  whole(replies: Replies): object;
}

/** Over all replies of a request. */
export function sumOfTotals([first, ...others]: Replies): Totals {
  return others.reduce<Totals>(
    (sum, { totals }) => ({
      ...totals,
      promptTokens: sum.promptTokens + totals.promptTokens,
      cachedTokens: sum.cachedTokens + totals.cachedTokens,
      generatedTokens: sum.generatedTokens + totals.generatedTokens,
    }),
    first.totals,
  );
}
