import type { ReplyStats, TokenLogprob, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from './api-error.ts';

/** What happened to our own tools. */
export type ToolEvent = Extract<
  TurnEvent,
  { type: 'tool_call' | 'tool_progress' | 'tool_result' | 'tool_error' | 'notice' }
>;

/** Figures of all replies of the model that a request took. */
export type Totals = Omit<ReplyStats, 'finishReason'> & {
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'cancelled';
  /** Milliseconds since the request came. */
  readonly totalMs: number;
};

/** All that a request came to. */
export interface WholeReply {
  readonly text: string;
  readonly thinking: string;
  readonly logprobs: readonly TokenLogprob[] | undefined;
  /** The client's to run. */
  readonly calls: readonly ToolCall[];
  readonly events: readonly ToolEvent[];
  readonly totals: Totals;
}

/** How one API writes a reply, in pieces of a stream or as a whole. A piece may be '' where the API has none. */
export interface ReplyFormat {
  readonly contentType: string;
  begin(): string;
  text(text: string, logprobs: readonly TokenLogprob[] | undefined): string;
  thinking(text: string): string;
  toolEvent(event: ToolEvent): string;
  /** Keeps the connection alive while there is nothing else to say; `note` tells why. */
  keepAlive(note: string): string;
  end(calls: readonly ToolCall[], totals: Totals): string;
  /** A failure after the stream has begun. */
  error(error: ApiError): string;
  whole(reply: WholeReply): object;
}
