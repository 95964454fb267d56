import type { ReplyStats, TokenLogprob, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from './api-error.ts';

/** Events of our own tools. */
export type ToolEvent = Extract<
  TurnEvent,
  { type: 'tool_call' | 'tool_progress' | 'tool_result' | 'tool_error' | 'notice' }
>;

/** Totals over all replies of the model in a request. */
export type Totals = Omit<ReplyStats, 'finishReason'> & {
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'cancelled';
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

/** How an API writes a reply, streamed in pieces or whole. A piece is '' if the API has none for it. */
export interface WireFormat {
  readonly contentType: string;
  begin(): string;
  text(text: string, logprobs: readonly TokenLogprob[] | undefined): string;
  thinking(text: string): string;
  toolEvent(event: ToolEvent): string;
  /** Keeps the connection alive when there is nothing to send; `note` says why. */
  keepAlive(note: string): string;
  end(calls: readonly ToolCall[], totals: Totals): string;
  /** A failure after the stream has started. */
  error(error: ApiError): string;
  whole(reply: WholeReply): object;
}
